/** Writes one setting to its file: under a lock, whole or not at all, and never over somebody else's change. */

import { decodeText, encodeLike } from '../documents/decode.ts';
import type { JsonValue } from '../documents/tree.ts';
import { HoltError } from '../kernel/errors.ts';
import type { Machine } from '../kernel/machine.ts';
import { writeFileAtomically } from '../platform/atomic-write.ts';
import type { Files } from '../platform/files.ts';
import { withFileLock } from '../platform/lock.ts';
import { makeHoltFolder } from '../platform/private-folder.ts';
import { addItem, setSetting, type SettingEdit, type SettingEditOptions } from './edit-settings.ts';
import { schemaDocuments, schemaFolder, schemaReference } from './json-schema.ts';

export const settingScopes = ['user', 'project', 'local'] as const;
export type SettingScope = (typeof settingScopes)[number];

export interface SettingChange {
  readonly scope: SettingScope;
  /** May be dotted. */
  readonly name: string;
  /** Null takes the setting out of the file. */
  readonly value: JsonValue;
}

export interface SettingAddition {
  readonly scope: SettingScope;
  /** A list; may be dotted. */
  readonly name: string;
  readonly item: JsonValue;
}

export interface SavedSetting {
  readonly file: string;
  readonly outcome: 'created' | 'changed' | 'unchanged';
}

export interface SaveParts {
  readonly machine: Machine;
  readonly files: Files;
}

const maxBytes = 64 << 20;
const lockTimeoutMs = 10_000;

export function settingsFileOf(scope: SettingScope, machine: Machine): string {
  const { path, holtHome, projectRoot } = machine;
  if (scope === 'user') return path.join(holtHome, 'config.json');
  return path.join(projectRoot, '.holt', scope === 'local' ? 'config.local.json' : 'config.json');
}

/** Throws `config-invalid` when the change or the file does not fit, `config-unwritable` when writing fails. */
export async function saveSetting(change: SettingChange, parts: SaveParts): Promise<SavedSetting> {
  const { scope, name, value } = change;
  return changeFile(scope, parts, async (text, options) =>
    text === undefined && value === null ? undefined : setSetting(text, name, value, options),
  );
}

/** Adds one item to a list, once: what is in the list stays, with its comments. Throws as `saveSetting` does. */
export async function addToSetting(addition: SettingAddition, parts: SaveParts): Promise<SavedSetting> {
  const { scope, name, item } = addition;
  return changeFile(scope, parts, (text, options) => addItem(text, name, item, options));
}

/** Undefined when there is nothing to change. */
type TextEdit = (text: string | undefined, options: SettingEditOptions) => Promise<SettingEdit | undefined>;

async function changeFile(scope: SettingScope, parts: SaveParts, edit: TextEdit): Promise<SavedSetting> {
  const { os, holtHome } = parts.machine;
  const file = settingsFileOf(scope, parts.machine);
  if (scope === 'user') await makeHoltFolder(holtHome, [], { os });
  const saved = await withFileLock(file, () => editOnDisk(file, scope, edit, parts), {
    os,
    holtHome,
    timeoutMs: lockTimeoutMs,
  });
  if (scope === 'user' && saved.outcome === 'created') await copySchema(parts.machine);
  return saved;
}

async function editOnDisk(
  file: string,
  scope: SettingScope,
  edit: TextEdit,
  parts: SaveParts,
): Promise<SavedSetting> {
  const before = readBytes(file, parts.files);
  const text = before === undefined ? undefined : decodeText(before).text;
  const schema = schemaReference('config', scope, parts);
  const edited = await edit(text, schema === undefined ? {} : { schema });
  if (edited === undefined) return { file, outcome: 'unchanged' };
  if (!edited.ok) throw invalid(file, edited.errors);
  if (edited.text === text) return { file, outcome: 'unchanged' };

  const bytes = before === undefined ? Buffer.from(edited.text) : encodeLike(before, edited.text);
  if (bytes === undefined) throw invalid(file, ['it holds bytes that are no text']);
  const outcome = await writeFileAtomically(file, bytes, {
    os: parts.machine.os,
    expected: before === undefined ? { kind: 'absent' } : { kind: 'bytes', bytes: before },
    ...(scope === 'user' ? { folders: 'private' } : { within: parts.machine.projectRoot }),
  });
  if (outcome.kind === 'written') return { file, outcome: outcome.created ? 'created' : 'changed' };
  const message = `${file} was changed by another program meanwhile; nothing was written`;
  throw new HoltError('config-unwritable', message, { file, reason: 'changed' }, { remedy: 'Try again.' });
}

function readBytes(file: string, files: Files): Uint8Array | undefined {
  const found = files.load(file, maxBytes);
  if (found.kind === 'missing') return undefined;
  if (found.kind === 'file') return found.bytes;
  if (found.kind === 'unreadable') throw invalid(file, [`it cannot be read: ${found.reason}`]);
  throw invalid(file, [found.kind === 'too-large' ? 'it is too large' : `${found.what} stands in its place`]);
}

function invalid(file: string, errors: readonly string[]): HoltError<'config-invalid'> {
  const message = `${file} was not changed: ${errors.join('; ')}`;
  return new HoltError('config-invalid', message, { file, errors });
}

/** For editors only, so that a failure is no reason to say that the setting was not saved. */
async function copySchema({ path, holtHome, os }: Machine): Promise<void> {
  try {
    await makeHoltFolder(holtHome, schemaFolder, { os });
    const copy = path.join(holtHome, ...schemaFolder, 'config.json');
    const text = `${JSON.stringify(schemaDocuments().config, undefined, 2)}\n`;
    await writeFileAtomically(copy, Buffer.from(text), { os, folders: 'private' });
  } catch {
    return;
  }
}
