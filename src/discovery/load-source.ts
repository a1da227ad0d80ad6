/** Loads and parses the file at a location, or reports the problem that prevents it. Locates strings in parsed files. */

import type { AgentFormat, ConfigFile, Layer, Location, RawEntry, Report } from '../agents/agent-format.ts';
import { parseDocument, partLimits } from '../documents/parse-document.ts';
import { createLineIndex, type DocNode, type Liberties, type Position } from '../documents/tree.ts';
import type { Problem } from '../kernel/problems.ts';
import {
  loadConfigFile,
  type ConfigFileOutcome,
  type ConfigFileParts,
} from '../platform/files/load-config-file.ts';
import type { ServerDefinition } from '../kernel/servers.ts';

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

export interface ReadLayer {
  readonly file: ConfigFile;
  readonly layer: Layer;
}

export interface Place extends Position {
  readonly file: string;
}

/**
 * Returns `undefined` if no value of the entry equals the string: the agent's reader may have split a value.
 */
export type FindPlace = (definition: ServerDefinition, text: string) => Place | undefined;

interface Entry {
  readonly file: ConfigFile;
  readonly entry: RawEntry;
  texts?: ReadonlyMap<string, number>;
}

/** Takes layers weakest first. If several files contain the string, returns the place in the strongest. */
export function createFindPlace(layers: readonly ReadLayer[]): FindPlace {
  let byName: ReadonlyMap<string, readonly Entry[]> | undefined;
  return ({ name, parts }, text) => {
    byName ??= indexByName(layers);
    for (const one of byName.get(name) ?? []) {
      const { file, entry } = one;
      const { line, column } = file.position(entry.at);
      const isPart = parts.some(
        (part) => part.file === file.path && part.line === line && part.column === column,
      );
      if (!isPart) continue;
      one.texts ??= textsIn(entry.node);
      const start = one.texts.get(text);
      if (start !== undefined) return { file: file.path, ...file.position(start) };
    }
    return undefined;
  };
}

function indexByName(layers: readonly ReadLayer[]): ReadonlyMap<string, readonly Entry[]> {
  const byName = new Map<string, Entry[]>();
  for (const { file, layer } of layers.toReversed()) {
    for (const entry of layer.entries) {
      const list = byName.get(entry.name);
      if (list === undefined) byName.set(entry.name, [{ file, entry }]);
      else list.push({ file, entry });
    }
  }
  return byName;
}

/** Returns each string with the offset of its first occurrence. */
function textsIn(node: DocNode, texts = new Map<string, number>()): ReadonlyMap<string, number> {
  if (node.kind === 'string' && !texts.has(node.value)) texts.set(node.value, node.start);
  if (node.kind === 'array') for (const item of node.items) textsIn(item, texts);
  if (node.kind === 'object') for (const { value } of node.entries) textsIn(value, texts);
  return texts;
}
