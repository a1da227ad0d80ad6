/**
 * Writes one setting to its file, with the same steps as any other config edit, so `holt undo` can revert it.
 */

import type { JsonValue } from '../kernel/json.ts';
import type { EditResult } from '../documents/edit-document.ts';
import type { Machine } from '../kernel/machine.ts';
import { addItem, setSetting, type SettingEdit, type SettingEditOptions } from '../settings/edit-settings.ts';
import { schemaReference } from '../settings/json-schema.ts';
import { notChanged } from './read-settled.ts';
import { editFile, type FileEdited } from './edit-file.ts';
import type { EditParts } from './edit-parts.ts';
import { copySchema } from './entries/write-entries.ts';
import { holdsSecret } from './entries/mask-entry.ts';
import { newOperation } from './previous-content.ts';

export const settingScopes = ['user', 'project', 'local'] as const;
export type SettingScope = (typeof settingScopes)[number];

export interface SettingChange {
  readonly scope: SettingScope;
  /** May be dotted, to name a nested setting. */
  readonly name: string;
  /** Null removes the setting from the file. */
  readonly value: JsonValue;
}

export interface SettingAddition {
  readonly scope: SettingScope;
  /** The name of a list; may be dotted. */
  readonly name: string;
  readonly item: JsonValue;
}

const lockTimeoutMs = 10_000;

export function settingsFileOf(scope: SettingScope, machine: Machine): string {
  const { path, holtHome, projectRoot } = machine;
  if (scope === 'user') return path.join(holtHome, 'config.json');
  return path.join(projectRoot, '.holt', scope === 'local' ? 'config.local.json' : 'config.json');
}

/**
 * Rejects with `config-invalid` when the change or the file is invalid, `config-unwritable` when writing
 * fails.
 */
export function saveSetting({ scope, name, value }: SettingChange, parts: EditParts): Promise<FileEdited> {
  const addsSecret = holdsSecret({ [name.split('.').at(-1) ?? name]: value }, 'holt');
  return changeFile({ scope, title: `set ${name}`, addsSecret }, parts, async (text, options) =>
    text === undefined && value === null ? undefined : setSetting(text, name, value, options),
  );
}

/**
 * Adds one item to a list, once. Preserves what is in the list, with its comments. Rejects as `saveSetting`
 * does.
 */
export function addToSetting({ scope, name, item }: SettingAddition, parts: EditParts): Promise<FileEdited> {
  const addsSecret = holdsSecret([item], 'holt');
  return changeFile({ scope, title: `add to ${name}`, addsSecret }, parts, (text, options) =>
    addItem(text, name, item, options),
  );
}

interface FileChange {
  readonly scope: SettingScope;
  readonly title: string;
  readonly addsSecret: boolean;
}

/** `text` is undefined when there is no file yet. Resolves to undefined when there is nothing to change. */
type TextEdit = (text: string | undefined, options: SettingEditOptions) => Promise<SettingEdit | undefined>;

async function changeFile(
  { scope, title, addsSecret }: FileChange,
  parts: EditParts,
  edit: TextEdit,
): Promise<FileEdited> {
  const file = settingsFileOf(scope, parts.machine);
  const schema = schemaReference('config', scope, parts);
  const change = async (text: string): Promise<EditResult> => {
    const edited = await edit(text === '' ? undefined : text, schema === undefined ? {} : { schema });
    if (edited === undefined) return { ok: true, text };
    if (edited.ok) return edited;
    throw notChanged(file, edited.errors.join('; '), edited.errors);
  };
  const saved = await editFile(
    {
      file,
      format: 'json',
      operation: newOperation(title),
      private: addsSecret && scope === 'user',
      change,
    },
    { lockTimeoutMs, ...parts },
  );
  if (scope === 'user' && saved.outcome === 'created') await copySchema('config', parts.machine);
  return saved;
}
