/**
 * Changes one setting in the text of a settings file.
 * Comments and all other bytes stay unchanged. Does no I/O.
 */

import type { JsonValue } from '../kernel/json.ts';
import { appendItem, insertEntry, removeEntry, replaceValue } from '../documents/edit-document.ts';
import { parseJson } from '../documents/json.ts';
import { dig, toValue } from '../documents/tree.ts';
import { nearest } from '../kernel/nearest.ts';
import { dottedNames, findSetting, type SettingPlace } from './find-setting.ts';
import { settingNames } from './settings.ts';
import { createSuggest } from './values/shapes.ts';

export type SettingEdit =
  | { readonly ok: true; readonly text: string }
  /** Nothing is written when there is an error. */
  | { readonly ok: false; readonly errors: readonly string[] };

export interface SettingEditOptions {
  /** The `$schema` value of a new file. */
  readonly schema?: string;
}

/**
 * `text` is undefined if the file does not exist yet. `name` may be dotted. Null removes the setting from the
 * file. The value is checked first, so that a valid file stays valid.
 */
export async function setSetting(
  text: string | undefined,
  name: string,
  value: JsonValue,
  options: SettingEditOptions = {},
): Promise<SettingEdit> {
  return editAt(text, name, {
    errors: (place) => (value === null ? [] : checkValue(place, value)),
    start: value,
    options,
    edit: (before, { path }, isThere) => editFile(before, path, value, isThere ? 'present' : 'missing'),
  });
}

/**
 * Adds an item to a list, and creates the list if it is missing.
 * Does not add an item that is already in the list.
 */
export async function addItem(
  text: string | undefined,
  name: string,
  item: JsonValue,
  options: SettingEditOptions = {},
): Promise<SettingEdit> {
  return editAt(text, name, {
    errors: (place) => checkValue(place, [item]),
    start: [item],
    options,
    edit: async (before, { path }) => {
      if (holdsItem(before, path, item)) return { ok: true, text: before };
      const edited = await appendItem(before, 'json', { path, value: item });
      return edited.ok ? edited : { ok: false, errors: [edited.reason] };
    },
  });
}

function holdsItem(text: string, path: readonly string[], item: JsonValue): boolean {
  const document = parseJson(text, { bom: false, utf16: false });
  const list = document.ok ? dig(document.root, path) : undefined;
  return list?.kind === 'array' && list.items.some((one) => toValue(one) === item);
}

interface EditPlan {
  readonly errors: (place: SettingPlace) => readonly string[];
  /** The value that is written to a file without settings. */
  readonly start: JsonValue;
  readonly options: SettingEditOptions;
  readonly edit: (text: string, place: SettingPlace, isThere: boolean) => Promise<SettingEdit>;
}

async function editAt(text: string | undefined, name: string, plan: EditPlan): Promise<SettingEdit> {
  const place = findSetting(name);
  if (place === undefined) {
    const { message, remedy } = unknownSetting(name);
    return { ok: false, errors: [`${message}. ${remedy}`] };
  }
  const errors = plan.errors(place);
  if (errors.length > 0) return { ok: false, errors };

  const before = text ?? '';
  const document = parseJson(before, { bom: false, utf16: false });
  if (document.ok && document.root === undefined) {
    return { ok: true, text: startFile(before, place, plan.start, plan.options) };
  }
  return plan.edit(before, place, document.ok && dig(document.root, place.path) !== undefined);
}

export interface UnknownSetting {
  readonly message: string;
  readonly remedy: string;
  readonly nearest?: string;
}

export function unknownSetting(name: string): UnknownSetting {
  const near = nearest(name, dottedNames());
  const message = `Unknown setting "${name}"`;
  if (near === undefined) return { message, remedy: `Settings are ${settingNames.join(', ')}.` };
  return { message, remedy: `Did you mean "${near}"?`, nearest: near };
}

/** Returns what is wrong with a value, in sentences. */
export function checkValue(place: SettingPlace, value: JsonValue): readonly string[] {
  const document = parseJson(JSON.stringify(value), { bom: false, utf16: false });
  if (!document.ok || document.root === undefined) return [document.ok ? 'no value' : document.message];
  const errors: string[] = [];
  place.shape.read(document.root, place.path.join('.'), {
    guarded: false,
    suggest: createSuggest(),
    originAt: () => ({ from: 'user' }),
    complain: ({ message, remedy }) => errors.push(remedy === undefined ? message : `${message}. ${remedy}`),
  });
  return errors;
}

async function editFile(
  text: string,
  path: readonly string[],
  value: JsonValue,
  before: 'missing' | 'present',
): Promise<SettingEdit> {
  const place = { path: path.slice(0, -1), key: path.at(-1) ?? '' };
  if (before === 'missing' && value === null) return { ok: true, text };
  const edited =
    value === null
      ? await removeEntry(text, 'json', place)
      : await (before === 'missing' ? insertEntry : replaceValue)(text, 'json', { ...place, value });
  return edited.ok ? edited : { ok: false, errors: [edited.reason] };
}

/** Creates the text of a file that has no settings yet but may have comments. */
function startFile(
  text: string,
  place: SettingPlace,
  value: JsonValue,
  { schema }: SettingEditOptions,
): string {
  const nested = place.path.toReversed().reduce<JsonValue>((inner, key) => ({ [key]: inner }), value);
  const content = Object.assign(
    schema === undefined ? {} : { $schema: schema },
    value === null ? {} : nested,
  );
  const head = text.trim() === '' ? text.trim() : `${text.trimEnd()}\n`;
  return `${head}${JSON.stringify(content, undefined, 2)}\n`;
}
