/** Loads and parses the file at a location, or reports the problem that prevents it. */

import type { AgentFormat, ConfigFile, Location, Report } from '../agents/agent-format.ts';
import { parseDocument, partLimits } from '../documents/parse-document.ts';
import { createLineIndex, type Liberties } from '../documents/tree.ts';
import type { Problem } from '../kernel/problems.ts';
import {
  loadConfigFile,
  type ConfigFileOutcome,
  type ConfigFileParts,
} from '../platform/files/load-config-file.ts';

export interface SourceParts extends ConfigFileParts {
  readonly problems: Problem[];
}

/** The location and agent that a file belongs to. */
export interface SourceOwner {
  readonly location: Location;
  readonly format: AgentFormat;
  readonly parts: SourceParts;
}

export type LoadedSource =
  | { readonly kind: 'refused' }
  | { readonly kind: 'read'; readonly file: ConfigFile; readonly realPath: string; readonly mode: number };

/** Synchronous, because nearly all of the many locations have no file. */
export function openSource(path: string, location: Location, parts: SourceParts): ConfigFileOutcome {
  return location.text === undefined
    ? loadConfigFile(path, location.guarded, parts)
    : givenText(path, location.text);
}

export async function readSource(
  path: string,
  outcome: Exclude<ConfigFileOutcome, { readonly kind: 'missing' }>,
  { location, format, parts }: SourceOwner,
): Promise<LoadedSource> {
  if (outcome.kind === 'refused') {
    const { kind: _kind, ...refusal } = outcome;
    parts.problems.push({ severity: 'error', file: path, line: 1, column: 1, ...refusal });
    return { kind: 'refused' };
  }

  const document = await parseDocument(outcome.bytes, location.format, partLimits(location.guarded));
  const position = createLineIndex(document.text);
  if (!document.ok) {
    const { line, column } = position(document.offset);
    const code = document.reason === 'too-deep' ? 'file-too-deep' : 'file-syntax';
    const message =
      code === 'file-syntax'
        ? `not valid ${location.format.toUpperCase()}: ${document.message}`
        : document.message;
    parts.problems.push({
      severity: 'error',
      code,
      file: path,
      line,
      column,
      message,
      remedy: 'Fix the text; nothing of this file is used until then.',
    });
    return { kind: 'refused' };
  }

  const report: Report = ({ at, ...complaint }) =>
    parts.problems.push({ ...complaint, file: path, ...position(at) });
  reportLiberties(document.liberties, location, format, report);
  const file: ConfigFile = { location, path, root: document.root, machine: parts.machine, position, report };
  return { kind: 'read', file, realPath: outcome.realPath, mode: outcome.facts.mode };
}

/** Treats the content of an environment variable like a file. */
function givenText(path: string, text: string): ConfigFileOutcome {
  return { kind: 'file', bytes: Buffer.from(text), realPath: path, facts: { uid: 0, gid: 0, mode: 0 } };
}

const libertyNames = {
  bom: 'begins with a byte order mark',
  comments: 'has comments',
  trailingCommas: 'has trailing commas',
} as const;

function reportLiberties(
  liberties: Liberties,
  location: Location,
  format: AgentFormat,
  report: Report,
): void {
  for (const liberty of ['bom', 'comments', 'trailingCommas'] as const) {
    if (!liberties[liberty] || location.refuses?.[liberty] !== true) continue;
    report({
      severity: 'warning',
      code: 'agent-refuses',
      at: 0,
      message: `${location.refuses.by ?? format.label} would refuse this file because it ${libertyNames[liberty]}; holt reads it all the same`,
      remedy: 'Save it as plain JSON.',
    });
  }
}
