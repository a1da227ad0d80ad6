/** Emits `mcp.tools.changed`, once for each change of the tools that are known of a server. */

import type { Connection } from '../../connection/connection.ts';
import type { Emit } from '../../kernel/events.ts';
import type { ListedTool, ServerToolsBook } from './server-tools.ts';
import type { KnownServer } from './tool-table.ts';

export interface ToolsTellerParts {
  readonly emit: Emit;
  readonly book: Pick<ServerToolsBook, 'takeKept'>;
  /** Servers that may have had cached tools from the beginning. */
  readonly early: readonly Connection[];
}

/**
 * `found` is what the tool table was built from. `renamed` names the servers with a tool whose name changed.
 */
export type TellTools = (found: readonly KnownServer[], renamed: ReadonlySet<string>) => void;

type Tools = readonly ListedTool[];

const none: Tools = [];

export function createToolsTeller({ emit, book, early }: ToolsTellerParts): TellTools {
  const shown = new Map<string, Tools>();
  /** Servers whose earlier tools are unknown here, because they may not have been looked at yet. */
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
    // Emit last, because a listener may list the tools immediately.
    for (const server of changed) emit('mcp.tools.changed', { server });
  };
}

function isSame(left: Tools, right: Tools): boolean {
  if (left === right) return true;
  if (left.length !== right.length) return false;
  return left.every(({ name, digest }, at) => right[at]?.name === name && right[at].digest === digest);
}
