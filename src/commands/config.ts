/** `holt config`: reads, changes and checks holt's own settings. */

import { toValue } from '../documents/tree.ts';
import { tighteningNote } from '../editing/edit-report.ts';
import { saveSetting, settingScopes, type SettingScope } from '../editing/save-setting.ts';
import { HoltError } from '../kernel/errors.ts';
import { nearest } from '../kernel/nearest.ts';
import type { Problem } from '../kernel/problems.ts';
import { realFiles } from '../platform/files/files.ts';
import { readIdentity } from '../platform/machine-facts.ts';
import { checkValue, unknownSetting } from '../settings/edit-settings.ts';
import {
  findSetting,
  maskSetting,
  originAt,
  plainRules,
  projectValueAt,
  valueAt,
  type SettingPlace,
} from '../settings/find-setting.ts';
import { nodeOfText } from '../documents/json.ts';
import { schemaDocuments, schemaKinds } from '../settings/json-schema.ts';
import { loadSettings, type LoadedSettings, type SettingsSource } from '../settings/load-settings.ts';
import { settingNames, settingsTable } from '../settings/settings.ts';
import { defineCommand, usage, valueOf, warnAll, type CommandContext, type CommandInput } from './command.ts';
import {
  type ShownSetting,
  type SavedData,
  allLines,
  oneLines,
  savedLines,
  fileLines,
  checkedLines,
  allJson,
  fileJson,
} from './show/setting-lines.ts';

export type ConfigData =
  | { readonly kind: 'all'; readonly settings: readonly ShownSetting[]; readonly withOrigins: boolean }
  | { readonly kind: 'one'; readonly setting: ShownSetting; readonly withOrigins: boolean }
  | { readonly kind: 'saved'; readonly saved: SavedData }
  | { readonly kind: 'files'; readonly files: readonly SettingsSource[] }
  | {
      readonly kind: 'checked';
      readonly files: readonly SettingsSource[];
      readonly problems: readonly Problem[];
    }
  | { readonly kind: 'schema'; readonly document: Readonly<Record<string, unknown>> };

type SubCommand = (
  words: readonly string[],
  input: CommandInput,
  context: CommandContext,
) => ConfigData | Promise<ConfigData>;

const subCommands: ReadonlyMap<string, SubCommand> = new Map<string, SubCommand>([
  ['get', getSettings],
  ['set', saveOne],
  ['path', (words, _, context) => ({ kind: 'files', files: loadFor('path', words, context).sources })],
  ['validate', validate],
  ['schema', showSchema],
]);

export const config = defineCommand<ConfigData>({
  name: 'config',
  summary: 'Read and change holt’s settings',
  usage: 'config get [NAME] [--origin] | set NAME VALUE [--scope S] | path | validate | schema [config|mcp]',
  options: {
    origin: { type: 'flag', summary: 'show where each value comes from' },
    scope: {
      type: 'value',
      short: 's',
      placeholder: 'SCOPE',
      summary: 'whose file is changed: user (when left out), project or local',
      completes: settingScopes,
    },
  },
  completes: [...subCommands.keys()],

  async run(input, context) {
    const [word = 'get', ...words] = input.positionals;
    const subCommand = subCommands.get(word);
    if (subCommand !== undefined) return subCommand(words, input, context);
    throw wrongWord(word, `Unknown command "config ${word}"`, [...subCommands.keys()]);
  },

  render(data, style) {
    if (data.kind === 'all') return allLines(data.settings, data.withOrigins, style);
    if (data.kind === 'one') return oneLines(data.setting, data.withOrigins, style);
    if (data.kind === 'saved') return savedLines(data.saved, style);
    if (data.kind === 'files') return fileLines(data.files, style);
    if (data.kind === 'checked') return checkedLines(data.files, data.problems, style);
    return JSON.stringify(data.document, undefined, 2).split('\n');
  },

  json(data) {
    if (data.kind === 'all') return allJson(data.settings);
    if (data.kind === 'one') return { ...data.setting, value: data.setting.value ?? null };
    if (data.kind === 'saved') return { ...data.saved };
    if (data.kind === 'files') return { files: data.files.map(fileJson) };
    if (data.kind === 'schema') return { document: data.document };
    return { ok: isValid(data.problems), problems: data.problems, files: data.files.map(fileJson) };
  },

  exitCode: (data) => (data.kind === 'checked' && !isValid(data.problems) ? 1 : 0),
});

function loadFor(subCommand: string, words: readonly string[], context: CommandContext): LoadedSettings {
  if (words.length > 0) throw wrongWord(words.join(' '), `holt config ${subCommand} takes no arguments`);
  return load(context);
}

function load({ machine }: CommandContext): LoadedSettings {
  return loadSettings(machine, realFiles, {}, readIdentity());
}

function getSettings(words: readonly string[], input: CommandInput, context: CommandContext): ConfigData {
  const [name, ...extra] = words;
  if (extra.length > 0) throw wrongWord(words.join(' '), 'holt config get takes one name');
  const withOrigins = input.flags.has('origin');
  const loaded = load(context);
  const masked = (found: unknown): unknown =>
    withOrigins ? maskSetting(found) : plainRules(maskSetting(found));
  const show = (place: SettingPlace): ShownSetting => {
    const project = projectValueAt(loaded, place);
    return {
      name: place.path.join('.'),
      value: masked(valueAt(loaded.settings, place.path)),
      origin: originAt(loaded, place),
      ...(project === undefined
        ? {}
        : { forProject: { value: masked(project.value), origin: project.origin } }),
    };
  };
  if (name !== undefined) return { kind: 'one', setting: show(placeOf(name)), withOrigins };
  return { kind: 'all', settings: settingNames.map((each) => show(placeOf(each))), withOrigins };
}

function placeOf(name: string): SettingPlace {
  const place = findSetting(name);
  if (place !== undefined) return place;
  const { message, remedy, ...hint } = unknownSetting(name);
  throw new HoltError('usage-invalid', message, { given: name, ...hint }, { remedy });
}

async function saveOne(
  words: readonly string[],
  input: CommandInput,
  context: CommandContext,
): Promise<ConfigData> {
  const [name, text, ...extra] = words;
  if (name === undefined || text === undefined || extra.length > 0) {
    const remedy = 'Write holt config set NAME VALUE; quote a value that has spaces.';
    throw usage('holt config set takes a name and a value', remedy, words.join(' '));
  }
  const scope = scopeOf(input, context);
  const place = placeOf(name);
  const value = toValue(nodeOfText(text, place.path.length === 1 ? settingsTable[place.name] : {}));
  checkChange(place, scope, value === null ? [] : checkValue(place, value));

  const { editing } = context;
  const { file, outcome, tightened, warnings } = await saveSetting({ scope, name, value }, editing);
  warnAll(warnings, context);
  const after = load(context);
  const origin = originAt(after, place, scope === 'user' ? 'others' : 'project');
  const isWinner = value === null || place.name === 'permissions' || origin.file === file;
  return {
    kind: 'saved',
    saved: {
      file,
      outcome,
      warnings,
      notes: tightened ? [tighteningNote(file, 'file')] : [],
      name,
      value: maskSetting(value),
      problems: after.problems.filter((problem) => problem.file === file),
      ...(isWinner ? {} : { winner: origin }),
    },
  };
}

function scopeOf(input: CommandInput, { machine }: CommandContext): SettingScope {
  const word = valueOf(input, 'scope') ?? 'user';
  const scope = settingScopes.find((known) => known === word);
  if (scope === undefined) throw wrongWord(word, `Unknown scope "${word}"`, settingScopes);
  if (scope === 'user' || machine.hasProject) return scope;
  const message = 'There is no project here: this is your home folder';
  throw usage(message, 'Leave out --scope, or go to a project.', word);
}

function checkChange(place: SettingPlace, scope: SettingScope, errors: readonly string[]): void {
  const [error] = errors;
  if (error !== undefined)
    throw usage(
      errors.join('\n'),
      `holt config get ${place.name} shows what it is now, holt config schema what it can be.`,
      place.path.join('.'),
    );
  if (scope === 'user' || settingsTable[place.name].inProject.kind !== 'ignored') return;
  const message = `"${place.name}" has no effect in a project’s file`;
  throw usage(message, 'Leave out --scope to set it for yourself.', scope);
}

function validate(words: readonly string[], _input: CommandInput, context: CommandContext): ConfigData {
  const { sources, problems } = loadFor('validate', words, context);
  return { kind: 'checked', files: sources, problems };
}

/**
 * True if no problem is an error. Invalid values count as errors here, although they are only warnings
 * elsewhere.
 */
function isValid(problems: readonly Problem[]): boolean {
  return !problems.some(({ severity, code }) => severity === 'error' || code === 'setting-invalid');
}

function showSchema([word = 'config', ...extra]: readonly string[]): ConfigData {
  const kind = schemaKinds.find((known) => known === word);
  if (kind === undefined) throw wrongWord(word, `Unknown schema "${word}"`, schemaKinds);
  if (extra.length > 0) throw wrongWord(extra.join(' '), 'holt config schema takes one name');
  return { kind: 'schema', document: schemaDocuments()[kind] };
}

function wrongWord(
  given: string,
  message: string,
  known: readonly string[] = [],
): HoltError<'usage-invalid'> {
  const near = nearest(given, known);
  const choice = known.length === 0 ? {} : { remedy: `There are ${known.join(', ')}.` };
  const options = near === undefined ? choice : { remedy: `Did you mean "${near}"?` };
  return new HoltError(
    'usage-invalid',
    message,
    { given, ...(near === undefined ? {} : { nearest: near }) },
    options,
  );
}
