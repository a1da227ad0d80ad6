/** The errors for tools that cannot be called: unknown, ambiguous, changed or not offered. */

import type { RefusedTool, ToolInfo, WithheldTool } from '../catalog/tool-info.ts';
import { HoltError } from '../kernel/errors.ts';
import { nearest } from '../kernel/nearest.ts';
import { nameWord } from '../kernel/shell-words.ts';
import { deepSchemaRemedy } from './server-problems.ts';
import type { ToolTable } from './tool-table.ts';

export interface NotFoundParts {
  readonly known: { readonly table: Pick<ToolTable, 'list' | 'wantedBy'> };
  readonly withheld: () => readonly WithheldTool[];
  readonly refused: () => readonly RefusedTool[];
  /** Servers that did not answer in time. */
  readonly missing: () => readonly string[];
}

interface MeantTool {
  /** The tool that the name belongs to, if known. */
  readonly pair: { readonly server: string; readonly tool: string } | undefined;
  /** Spells a similar name in the form that the caller used. */
  readonly suggest: Suggest;
}

/** The error for a name that no offered tool has. */
export function toolNotFound(name: string, { pair, suggest }: MeantTool, parts: NotFoundParts): HoltError {
  const { known, withheld, refused, missing } = parts;
  const held = withheld().find(({ server, tool }) => server === pair?.server && tool === pair.tool);
  if (held !== undefined) return held.unchecked === undefined ? changed(name, held) : unchecked(name, held);
  const deep = refused().find(({ server, tool }) => server === pair?.server && tool === pair.tool);
  if (deep !== undefined) return notOffered(name, deep);
  const [moved] = known.table.wantedBy(name);
  const near = moved ?? nearestOf(name, known.table.list(), suggest);
  const late = missing();
  const remedy = [
    near === undefined ? 'Run holt tools to see all tools.' : `Did you mean "${near}"?`,
    ...(late.length === 0 ? [] : [`It may be a tool of ${late.join(', ')}, which did not answer yet.`]),
  ].join(' ');
  const details = { tool: name, ...(near === undefined ? {} : { nearest: near }) };
  return new HoltError('tool-not-found', `Unknown tool "${name}"`, details, { remedy });
}

/**
 * Returns the name to suggest for a tool. `spelled` is the spelling that was similar to the caller's name.
 */
type Suggest = (info: ToolInfo, spelled: string) => string;

export const anyName: Suggest = (_info, spelled) => spelled;
export const publicName: Suggest = ({ name }) => name;

function nearestOf(name: string, tools: readonly ToolInfo[], suggest: Suggest): string | undefined {
  const meant = new Map(
    tools.flatMap((info) =>
      [info.name, `${info.server}.${info.tool}`].map((spelled) => [spelled, suggest(info, spelled)] as const),
    ),
  );
  const near = nearest(name, [...meant.keys()]);
  return near === undefined ? undefined : meant.get(near);
}

export function ambiguous(tool: string, matches: readonly string[]): HoltError {
  return new HoltError(
    'tool-ambiguous',
    `"${tool}" can mean ${matches.join(' or ')}`,
    { tool, matches },
    { remedy: `Use one of these names: ${matches.join(', ')}.` },
  );
}

/** Not `tool-changed`, because the tool may be unchanged. */
function notOffered(name: string, tool: RefusedTool): HoltError {
  const { server, reason } = tool;
  return new HoltError(
    'tool-not-found',
    `The tool ${name} of "${server}" is not offered: ${reason}`,
    { tool: name },
    { remedy: deepSchemaRemedy },
  );
}

/** The tool may be unchanged; holt cannot read what was accepted. */
function unchecked(name: string, { server, tool, changes, unchecked: reason = '' }: WithheldTool): HoltError {
  return new HoltError(
    'tool-changed',
    `The tool ${name} is held back, because what was accepted earlier cannot be read: ${reason}`,
    { server, tool, changes },
    { remedy: 'Fix what is named there or move it away; holt doctor says more.' },
  );
}

function changed(name: string, { server, tool, changes }: WithheldTool): HoltError {
  return new HoltError(
    'tool-changed',
    `The tool ${name} is not what it was when it was accepted`,
    { server, tool, changes },
    {
      remedy: `Look at it with holt pin diff, and take it as it is now: holt pin accept ${nameWord(`${server}.${tool}`)}`,
    },
  );
}
