/**
 * Plans one entry for one file before anything is written: its content, what is lost, and what to warn about.
 */

import { isObject, type JsonValue } from '../../kernel/json.ts';
import type { Complaint, EntryContainer } from '../../agents/agent-format.ts';
import type { EntryReading } from '../../agents/server-shape.ts';
import type { Path } from '../../documents/edit-document.ts';
import { parseDocument } from '../../documents/parse-document.ts';
import { HoltError } from '../../kernel/errors.ts';
import { notChanged, readSettled } from '../read-settled.ts';
import { checkPlace } from '../edit-file.ts';
import type { EditParts, FileMemory, Remembering } from '../edit-parts.ts';
import type { FoundTarget } from '../writers.ts';
import { findLosses } from './differences.ts';
import { findNamed } from './find-entry.ts';
import { holdsSecret, maskEntry } from './mask-entry.ts';
import { readBack, type EntryPlace } from './read-back.ts';
import { spellEntry } from './spell-entry.ts';
import { createTranslator, type Translator } from './translate.ts';

export interface EntryPlan {
  readonly name: string;
  readonly target: FoundTarget;
  /** The path of the map or list that the entry goes into. */
  readonly path: Path;
  readonly kind: 'map' | 'list';
  readonly entry: JsonValue;
  /** The entry on one line, secrets masked. */
  readonly shown: string;
  /** The existing entry, which will be replaced. */
  readonly previous?: JsonValue;
  /** `previous` on one line, secrets masked. */
  readonly shownPrevious?: string;
  /** Fields that the format cannot express, or expresses only in part. */
  readonly lost: readonly string[];
  readonly warnings: readonly string[];
  readonly holdsSecret: boolean;
  /** What was read to make the plan. */
  readonly memory: FileMemory;
}

export interface EntrySource {
  readonly name: string;
  readonly content: EntryReading;
  /** `typed`: the strings were typed for the target. Otherwise they come from a file in this folder. */
  readonly from: 'typed' | { readonly folder: string };
  /** An entry to write unchanged, if the target's agent accepts it. */
  readonly raw?: JsonValue;
}

export interface PlanOptions {
  readonly replace?: boolean | undefined;
}

/** Rejects with `server-exists`, or with `config-invalid` when the format cannot express the server. */
export async function planEntry(
  source: EntrySource,
  target: FoundTarget,
  options: PlanOptions,
  parts: EditParts & Remembering,
): Promise<EntryPlan> {
  const { name } = source;
  const { root, container } = await loadContainer(target, parts);
  const existing = findNamed(root, container, name);
  if (existing !== undefined && options.replace !== true) throw alreadyExists(name, target.file);
  if (existing === undefined && container.refusal !== undefined)
    throw notChanged(target.file, container.refusal);

  const path = existing?.path ?? container.paths[0] ?? [];
  const place: EntryPlace = { target, machine: parts.machine, kind: container.kind, path };
  const worded = wordEntry(source, target, place);
  const { dialect } = target.shapeAt(path);
  return {
    name,
    target,
    path,
    kind: container.kind,
    ...worded,
    shown: JSON.stringify(maskEntry(worded.entry, dialect)),
    ...(existing === undefined
      ? {}
      : {
          previous: existing.value,
          shownPrevious: JSON.stringify(maskEntry(existing.value, dialect)),
        }),
    holdsSecret: holdsSecret(worded.entry, dialect),
    memory: parts.memory,
  };
}

type Worded = Pick<EntryPlan, 'entry' | 'lost' | 'warnings'>;

function wordEntry(source: EntrySource, target: FoundTarget, place: EntryPlace): Worded {
  const { name, content, from } = source;
  const { machine, path } = place;
  const asIs = source.raw === undefined ? undefined : takenAsIs(name, source.raw, place);
  if (asIs !== undefined) return asIs;

  const folder = machine.path.dirname(target.file);
  const shape = target.shapeAt(path);
  const typed = from === 'typed';
  const fromFolder = typed ? folder : from.folder;
  const translator = createTranslator({
    from: content.dialect,
    to: shape.dialect,
    fromFolder,
    typed,
    env: machine.env,
  });
  const entry = spellEntry(name, content, { shape, translator });
  if (entry === undefined) {
    throw invalidConfig([`${target.reader.label} cannot reach a server over ${content.launch.kind}`]);
  }
  const { content: got, complaints } = readBack(name, entry, place);
  if (got === undefined) throw unread(target, complaints);
  const unknown = source.raw === undefined ? [] : unknownFields(source.raw);
  const lost = [...findLosses({ wanted: content, got, translator, folder }), ...unknown];
  return { entry, lost, warnings: [...warningsOf(complaints), ...bareWarnings(content, translator)] };
}

/** Reports bare words that only the source agent reads as variables. They become explicit references. */
function bareWarnings({ launch }: EntryReading, translator: Translator): readonly string[] {
  const field = launch.kind === 'stdio' ? 'env' : 'headers';
  const values = launch.kind === 'stdio' ? launch.env : launch.headers;
  return Object.entries(values).flatMap(([key, text]) => {
    const name = translator.bareVariable(text, field);
    if (name === undefined) return [];
    return [`${field}.${key} is the variable ${name}, as the agent it comes from reads it`];
  });
}

function unread({ reader, file }: FoundTarget, complaints: readonly Complaint[]): HoltError {
  if (complaints.length === 0) return notChanged(file, `${reader.label} does not look at it here`);
  return invalidConfig(complaints.map(({ message }) => message));
}

/** Complaints of a reader that mean the agent would not read the entry as intended. */
const refusals = new Set<Complaint['code']>([
  'agent-refuses',
  'agent-ignores',
  'entry-invalid',
  'field-invalid',
]);

function takenAsIs(name: string, raw: JsonValue, place: EntryPlace): Worded | undefined {
  const entry = place.kind === 'list' && isObject(raw) ? { name, ...raw } : raw;
  const { content, complaints } = readBack(name, entry, place);
  if (content === undefined || complaints.some(({ code }) => refusals.has(code))) return undefined;
  return { entry, lost: [], warnings: warningsOf(complaints) };
}

function warningsOf(complaints: readonly Complaint[]): readonly string[] {
  const said = complaints.filter(({ severity }) => severity !== 'info').map(({ message }) => message);
  return [...new Set(said)];
}

/** The fields that a definition supports, in holt's and opencode's shape. */
const knownFields = new Set(
  (
    'type transport command args env environment cwd inheritEnv startIn url headers oauth resource auth tls enabled disabled ' +
    'timeout timeouts phase_timeouts tools'
  ).split(' '),
);

function unknownFields(raw: JsonValue): readonly string[] {
  return typeof raw === 'object' && raw !== null
    ? Object.keys(raw).filter((key) => !knownFields.has(key))
    : [];
}

export async function loadContainer(
  target: FoundTarget,
  parts: EditParts,
): Promise<{
  readonly root: Parameters<FoundTarget['container']>[0];
  readonly container: EntryContainer;
}> {
  await checkPlace(target.file, parts);
  const { bytes } = await readSettled(target.file, parts);
  const document = bytes === undefined ? undefined : await parseDocument(bytes, target.format);
  if (document?.ok === false) {
    throw notChanged(target.file, `it is not valid ${target.format.toUpperCase()}: ${document.message}`);
  }
  return { root: document?.root, container: target.container(document?.root) };
}

export function alreadyExists(server: string, file: string): HoltError<'server-exists'> {
  const remedy = 'Choose another name, remove it first, or rewrite it with --replace.';
  return new HoltError(
    'server-exists',
    `Server "${server}" already exists in ${file}`,
    { server, file },
    { remedy },
  );
}

export function invalidConfig(errors: readonly string[]): HoltError<'config-invalid'> {
  return new HoltError('config-invalid', `Invalid server config: ${errors.join('; ')}`, { errors });
}
