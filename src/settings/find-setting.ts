/**
 * Finds settings by their dotted names (`naming`, `limits.messageBytes`, `timeouts.phases.connecting`), and
 * prepares them for display: the value, its origin, and no secrets.
 */

import { isSettingName, settingNames, settingsTable, type SettingName } from './settings.ts';
import type { SettingOrigin, Shape } from './values/shapes.ts';
import { isObject } from '../kernel/json.ts';
import { maskArgs, maskUrl } from '../masking/mask-secrets.ts';
import type { CombinedSettings, Contribution } from './layers/combine-layers.ts';

export interface SettingPlace {
  readonly name: SettingName;
  /** Keys from the root of the file down; the first is `name`. */
  readonly path: readonly string[];
  readonly shape: Shape<unknown>;
}

export function findSetting(word: string): SettingPlace | undefined {
  const [head = '', ...rest] = word.split('.');
  if (!isSettingName(head)) return undefined;
  const { shape } = settingsTable[head];
  if (rest.length === 0) return { name: head, path: [head], shape };
  const found = follow(rest.join('.'), shape);
  return found === undefined ? undefined : { name: head, path: [head, ...found.path], shape: found.shape };
}

interface Found {
  readonly path: readonly string[];
  readonly shape: Shape<unknown>;
}

/** Keys may contain dots, so the shape determines where one ends. */
function follow(word: string, shape: Shape<unknown>): Found | undefined {
  for (const [key, field] of Object.entries(shape.fields ?? {})) {
    if (word === key) return { path: [key], shape: field };
    const found = word.startsWith(`${key}.`) ? follow(word.slice(key.length + 1), field) : undefined;
    if (found !== undefined) return { path: [key, ...found.path], shape: found.shape };
  }
  return shape.entries === undefined ? undefined : followEntry(word, shape.entries);
}

/** The user chooses the key: it is the whole word, or the word without a known field at its end. */
function followEntry(word: string, entry: Shape<unknown>): Found {
  for (const [key, field] of Object.entries(entry.fields ?? {})) {
    if (word.endsWith(`.${key}`)) return { path: [word.slice(0, -key.length - 1), key], shape: field };
  }
  return { path: [word], shape: entry };
}

/** Returns all setting names that are known in advance, for suggestions. */
export function dottedNames(): readonly string[] {
  const names: string[] = [];
  const collect = (name: string, { fields = {} }: Shape<unknown>): void => {
    names.push(name);
    for (const [key, field] of Object.entries(fields)) collect(`${name}.${key}`, field);
  };
  for (const name of settingNames) collect(name, settingsTable[name].shape);
  return names;
}

/** Returns the value at a path, or `undefined` if nothing is set there. */
export function valueAt(settings: object, path: readonly string[]): unknown {
  let value: unknown = settings;
  for (const key of path) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}

/** Which servers a value applies to: those that the project defines, or all others. */
export type SettingReach = 'project' | 'others';

/** Returns the strongest layer that sets this exact place. */
export function originAt(
  combined: Pick<CombinedSettings, 'contributions'>,
  place: SettingPlace,
  reach: SettingReach = 'others',
): SettingOrigin {
  return (
    strongestAt(combined, place, (part) => reach === 'project' || !part.forOwnServers)?.origin ?? {
      from: 'default',
    }
  );
}

function strongestAt(
  { contributions }: Pick<CombinedSettings, 'contributions'>,
  { name, path: [, ...below] }: SettingPlace,
  counts: (part: Contribution) => boolean,
): Contribution | undefined {
  return contributions.find(
    (part) =>
      part.name === name && counts(part) && valueAt({ value: part.value }, ['value', ...below]) !== undefined,
  );
}

/**
 * Returns the value for servers that the project defines, if the project's
 * own files make it differ from the value for all others.
 */
export function projectValueAt(
  combined: Pick<CombinedSettings, 'contributions' | 'settings' | 'projectSettings'>,
  place: SettingPlace,
): { readonly value: unknown; readonly origin: SettingOrigin } | undefined {
  const value = valueAt(combined.projectSettings, place.path);
  const own = strongestAt(combined, place, ({ forOwnServers }) => forOwnServers);
  const isSame = JSON.stringify(value) === JSON.stringify(valueAt(combined.settings, place.path));
  return own === undefined || isSame ? undefined : { value, origin: own.origin };
}

const url = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Returns a copy with passwords in URLs and secrets in arguments masked. */
export function maskSetting(value: unknown): unknown {
  if (typeof value === 'string') return url.test(value) ? maskUrl(value) : value;
  if (Array.isArray(value)) return value.map(maskSetting);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      key,
      isArguments(key, child) ? maskArgs(child) : maskSetting(child),
    ]),
  );
}

function isArguments(key: string, value: unknown): value is readonly string[] {
  return key === 'args' && Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Replaces each rule and its origin by the rule alone, as it is written in a file. */
export function plainRules(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainRules);
  if (!isObject(value)) return value;
  if (typeof value['rule'] === 'string' && isObject(value['origin'])) return value['rule'];
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, plainRules(child)]));
}

export function originText({ from, file, line, variable }: SettingOrigin): string {
  if (variable !== undefined) return `${from}, ${variable}`;
  return file === undefined ? from : `${from}, ${file}:${line ?? 1}`;
}
