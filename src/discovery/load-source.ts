/** From a location to a parsed file, or to the problem that stands in the way. */

import type { AgentFormat, ConfigFile, Location, Report } from '../agents/agent-format.ts';
import { parseDocument } from '../documents/parse-document.ts';
import { createLineIndex, type Liberties } from '../documents/tree.ts';
import type { Machine } from '../kernel/machine.ts';
import type { Problem } from '../kernel/problems.ts';
import type { FileFacts, Files } from '../platform/files.ts';

/** Whom the process acts for. Undefined on systems without such ids. */
export interface Identity {
  readonly uid: number;
  readonly gid: number;
}

export interface SourceParts {
  readonly files: Files;
  readonly machine: Machine;
  readonly identity: Identity | undefined;
  /** Project folders whose files are read whoever may write them. */
  readonly safeDirectories: readonly string[];
  readonly problems: Problem[];
}

const maxGuardedBytes = 1 << 20;
const maxBytes = 64 << 20;

export type LoadedSource =
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'read'; readonly file: ConfigFile; readonly realPath: string };

export async function loadSource(
  path: string,
  location: Location,
  format: AgentFormat,
  parts: SourceParts,
): Promise<LoadedSource> {
  const limit = location.guarded ? maxGuardedBytes : maxBytes;
  const outcome = parts.files.load(path, limit);
  const refuse = (code: Problem['code'], message: string, remedy?: string): LoadedSource => {
    const problem = { severity: 'error', code, file: path, line: 1, column: 1, message } as const;
    parts.problems.push(remedy === undefined ? problem : { ...problem, remedy });
    return { kind: 'refused' };
  };
  switch (outcome.kind) {
    case 'missing':
      return { kind: 'missing' };
    case 'unreadable':
      return refuse('file-unreadable', `the file cannot be read: ${outcome.reason}`, 'Check its permissions and links.');
    case 'not-regular':
      return refuse('file-not-regular', `${outcome.what} stands where a file belongs`);
    case 'too-large':
      return refuse('file-too-large', `the file is over ${limit >> 20} MiB and is not read`);
    case 'file':
      break;
  }
  const danger = location.guarded ? unsafe(outcome.facts, path, parts) : undefined;
  if (danger !== undefined) {
    const remedy = 'Take the write permission from others, or list the folder in trust.safeDirectories of your settings.';
    return refuse('file-unsafe', `the file is not read: ${danger}`, remedy);
  }

  const document = await parseDocument(outcome.bytes, location.format);
  const position = createLineIndex(document.text);
  if (!document.ok) {
    const { line, column } = position(document.offset);
    const code = document.reason === 'too-deep' ? 'file-too-deep' : 'file-syntax';
    const message = code === 'file-syntax' ? `not valid ${location.format.toUpperCase()}: ${document.message}` : document.message;
    parts.problems.push({ severity: 'error', code, file: path, line, column, message, remedy: 'Mend the text; nothing of this file is used until then.' });
    return { kind: 'refused' };
  }

  const report: Report = ({ at, ...complaint }) => parts.problems.push({ ...complaint, file: path, ...position(at) });
  reportLiberties(document.liberties, location, format, report);
  const file: ConfigFile = { location, path, root: document.root, machine: parts.machine, position, report };
  return { kind: 'read', file, realPath: outcome.realPath };
}

/** A file in a project that somebody else could have written. */
function unsafe(facts: FileFacts, path: string, parts: SourceParts): string | undefined {
  const { identity, safeDirectories, machine } = parts;
  if (identity === undefined) return undefined;
  if (safeDirectories.some((folder) => isInside(path, folder, machine))) return undefined;
  if (facts.uid !== 0 && facts.uid !== identity.uid) return `it belongs to another user (uid ${facts.uid})`;
  if ((facts.mode & 0o002) !== 0) return 'everybody on this machine may write it';
  if ((facts.mode & 0o020) !== 0 && facts.gid !== identity.gid) return `a group that is not yours (gid ${facts.gid}) may write it`;
  return undefined;
}

export function isInside(path: string, folder: string, machine: Machine): boolean {
  const relative = machine.path.relative(folder, path);
  return relative === '' || (!relative.startsWith('..') && !machine.path.isAbsolute(relative));
}

const libertyNames = {
  bom: 'begins with a byte order mark',
  comments: 'has comments',
  trailingCommas: 'has trailing commas',
} as const;

function reportLiberties(liberties: Liberties, location: Location, format: AgentFormat, report: Report): void {
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
