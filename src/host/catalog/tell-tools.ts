/** Tells that a server offers other tools than before: once for each change of what `tools()` gives of what is known. */

import type { Connection } from '../../connection/connection.ts';
import type { Emit } from '../../kernel/events.ts';
import type { ListedTool, ServerToolsBook } from './server-tools.ts';
import type { KnownServer } from './tool-table.ts';

export interface ToolsTellerParts {
  readonly emit: Emit;
  readonly book: Pick<ServerToolsBook, 'takeKept'>;
  /** Those that offered something from the beginning, if only what was kept of an earlier time. */
  readonly early: readonly Connection[];
}

/** `found` is what the table was made from, `renamed` whoever has a tool of another name by it. */
export type TellTools = (found: readonly KnownServer[], renamed: ReadonlySet<string>) => void;

type Tools = readonly ListedTool[];

const none: Tools = [];

export function createToolsTeller({ emit, book, early }: ToolsTellerParts): TellTools {
  const shown = new Map<string, Tools>();
  /** Nobody knows of these what they offer: they may not have been looked at. */
  const unknown = new Map(early.map((connection) => [connection.entry.ref, connection]));
  const takeBefore = (ref: string): Tools | undefined => {
    const connection = unknown.get(ref);
    return connection === undefined ? shown.get(ref) : book.takeKept(connection);
  };
  return (found, renamed) => {
    const now = new Map(found.map(({ connection, known }) => [connection.entry.ref, known.tools]));
    const changed: string[] = [];
    for (const ref of new Set([...unknown.keys(), ...shown.keys(), ...now.keys()])) {
      const before = takeBefore(ref);
      const after = now.get(ref);
      if (before === undefined && after === undefined) continue;
      unknown.delete(ref);
      if (after === undefined) shown.delete(ref);
      else shown.set(ref, after);
      if (renamed.has(ref) || !isSame(before ?? none, after ?? none)) changed.push(ref);
    }
    // A listener may ask for the tools at once: by now all is as it will be told.
    for (const server of changed) emit('mcp.tools.changed', { server });
  };
}

function isSame(left: Tools, right: Tools): boolean {
  if (left === right) return true;
  if (left.length !== right.length) return false;
  return left.every(({ name, digest }, at) => right[at]?.name === name && right[at].digest === digest);
}
