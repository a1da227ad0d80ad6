/** Shows settings and the files they are in, as lines and as JSON. */

import type { FileEdited } from '../../editing/edit-file.ts';
import type { Problem } from '../../kernel/problems.ts';
import { escapeLine } from '../../masking/escape-text.ts';
import { originText } from '../../settings/find-setting.ts';
import type { SettingsSource } from '../../settings/load-settings.ts';
import type { SettingOrigin } from '../../settings/settings.ts';
import type { Style } from '../../terminal/style.ts';
import { formatTable } from '../../terminal/table.ts';

export interface ShownSetting {
  readonly name: string;
  /** Undefined if the setting has no value. */
  readonly value: unknown;
  readonly origin: SettingOrigin;
  /** The value from a project's file, which applies only to servers that the project defines. */
  readonly forProject?: { readonly value: unknown; readonly origin: SettingOrigin };
}

/** A saved setting with its warnings and notes. */
export interface SavedData extends Pick<FileEdited, 'file' | 'outcome' | 'warnings'> {
  readonly name: string;
  readonly value: unknown;
  readonly notes: readonly string[];
  readonly problems: readonly Problem[];
  /** Set if another place overrides the saved value. */
  readonly winner?: SettingOrigin;
}

/** Strings are printed without quotes for scripts. The result is not escaped for terminals yet. */
function valueText(value: unknown): string {
  if (value === undefined) return 'not set';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function allLines(
  settings: readonly ShownSetting[],
  withOrigins: boolean,
  style: Style,
): readonly string[] {
  return formatTable(
    settings.flatMap(({ name, ...setting }) =>
      valueRows(setting, withOrigins).map(([value, origin], index) => [
        index === 0 ? name : '',
        value,
        style.dim(origin),
      ]),
    ),
    style.columns,
  );
}

export function oneLines(setting: ShownSetting, withOrigins: boolean, style: Style): readonly string[] {
  return valueRows(setting, withOrigins).map(([value, origin]) =>
    origin === '' ? value : `${value}  ${style.dim(origin)}`,
  );
}

/** Returns rows of value and origin. Without origins, one row: the value for the user's own servers. */
function valueRows(
  { value, origin, forProject }: Omit<ShownSetting, 'name'>,
  withOrigins: boolean,
): readonly (readonly [value: string, origin: string])[] {
  const text = escapeLine(valueText(value));
  if (!withOrigins) return [[text, '']];
  const row = [text, escapeLine(originText(origin))] as const;
  if (forProject === undefined) return [row];
  const where = `${escapeLine(originText(forProject.origin))} (only for servers that the project defines)`;
  return [row, [escapeLine(valueText(forProject.value)), where]];
}

export function savedLines(
  { file, outcome, name, value, notes, problems, winner }: SavedData,
  style: Style,
): readonly string[] {
  const what = value === null ? `${name} is no longer set` : `${name} = ${valueText(value)}`;
  return [
    `${outcome === 'unchanged' ? 'nothing to change in' : 'wrote'} ${escapeLine(file)}`,
    escapeLine(what),
    ...notes.map((note) => `  note: ${escapeLine(note)}`),
    ...(winner === undefined
      ? []
      : [style.yellow(`Another file takes precedence: ${escapeLine(originText(winner))}`)]),
    ...problems.flatMap((problem) => problemLines(problem, style)),
  ];
}

export function fileLines(files: readonly SettingsSource[], style: Style): readonly string[] {
  return formatTable(
    files.map(({ from, file, outcome }) => [from, escapeLine(file), style.dim(stateText[outcome])]),
    style.columns,
  );
}

const stateText = { missing: '(not there)', refused: '(not read)', read: '' } as const;

export function checkedLines(
  files: readonly SettingsSource[],
  problems: readonly Problem[],
  style: Style,
): readonly string[] {
  if (problems.length > 0) return problems.flatMap((problem) => problemLines(problem, style));
  const read = files.filter(({ outcome }) => outcome === 'read').length;
  return [`${style.green('ok')}: ${read} settings ${read === 1 ? 'file' : 'files'}, nothing wrong`];
}

function problemLines(
  { severity, file, line, column, message, remedy }: Problem,
  style: Style,
): readonly string[] {
  const paint = severity === 'error' ? style.red : style.yellow;
  const first = `${escapeLine(file)}:${line}:${column}: ${paint(severity)}: ${escapeLine(message)}`;
  return remedy === undefined ? [first] : [first, `  ${escapeLine(remedy)}`];
}

export function allJson(settings: readonly ShownSetting[]): Readonly<Record<string, unknown>> {
  return {
    settings: Object.fromEntries(settings.map(({ name, value }) => [name, value])),
    origins: Object.fromEntries(settings.map(({ name, origin }) => [name, origin])),
    forProject: Object.fromEntries(
      settings.flatMap(({ name, forProject }) => (forProject === undefined ? [] : [[name, forProject]])),
    ),
  };
}

export function fileJson({ from, file, outcome }: SettingsSource): Readonly<Record<string, unknown>> {
  return { scope: from, file, exists: outcome !== 'missing' };
}
