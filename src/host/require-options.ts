/** Validates the options of `openHost`, so that a typo cannot silently weaken a restriction. */

import { isObject, type JsonObject } from '../kernel/json.ts';
import { unknownAgents } from '../agents/all-agents.ts';
import { agentIdOf, agentIds } from '../kernel/agent-ids.ts';
import { HoltError } from '../kernel/errors.ts';
import type { Interaction } from '../kernel/interaction.ts';
import type { Machine } from '../kernel/machine.ts';
import { nearest } from '../kernel/nearest.ts';
import { phases } from '../kernel/phases.ts';
import { decisions } from '../policy/policy-rule.ts';
import { namingProfiles } from '../settings/settings.ts';
import { containerOf, notPlain, readRuntimeServers } from '../roster/runtime-servers.ts';
import type { HostOptions } from './host.ts';

/** Returns one message for each mismatch, naming where it is. Empty if the value fits. */
type Check = (value: unknown, where: string) => readonly string[];

/**
 * Throws `config-invalid`, which names every invalid option, its value and what is expected. Returns the
 * options without null values in `interaction`.
 */
export function requireOptions(options: HostOptions): HostOptions {
  const errors = wrongIn(options);
  if (errors.length > 0)
    throw new HoltError(
      'config-invalid',
      `Invalid options: ${errors.join('; ')}`,
      { errors },
      { remedy: 'Change the options of openHost.' },
    );
  return withoutNulls(options);
}

/**
 * Throws `config-invalid` for a server definition that would be ignored in whole or in part, as `host.add`
 * does.
 */
export function requireServers(servers: NonNullable<HostOptions['servers']>, machine: Machine): void {
  const errors = readRuntimeServers(servers, machine)
    .problems.filter(({ severity, code }) => severity === 'error' || code === 'field-invalid')
    .map(({ server = '', message }) => `servers.${server}: ${message}`);
  if (errors.length === 0) return;
  const remedy = 'Correct the options of openHost.';
  throw new HoltError('config-invalid', `Invalid options: ${errors.join('; ')}`, { errors }, { remedy });
}

function wrongIn(options: unknown): readonly string[] {
  if (!isFields(options)) return misfit(options, 'options', 'an object');
  const known = Object.keys(optionChecks);
  return [
    ...unknownIn(options, known).map((key) => `unknown option ${unknownKey(key, known)}`),
    ...wrongFields(options, optionChecks, ''),
  ];
}

/** Removes null callbacks from `interaction`. The code that reads other options checks for null itself. */
function withoutNulls(options: HostOptions): HostOptions {
  const given: Readonly<Record<string, unknown>> = { ...options.interaction };
  const none = Object.keys(given).filter((key) => given[key] === null);
  if (none.length === 0) return options;
  // Keep inherited callbacks, so hide the null ones with own properties.
  const left = Object.fromEntries(none.map((key) => [key, { value: undefined }]));
  return { ...options, interaction: Object.create(options.interaction ?? null, left) };
}

const fits =
  (isFit: (value: unknown) => boolean, wanted: string): Check =>
  (value, where) =>
    isFit(value) ? [] : misfit(value, where, wanted);

const text = fits((value) => typeof value === 'string', 'a string');
const yesOrNo = fits((value) => typeof value === 'boolean', 'true or false');
const aFunction = fits((value) => typeof value === 'function', 'a function');
const anObject = fits(isFields, 'an object');
const definitions: Check = (value, where) =>
  isFields(value)
    ? Object.keys(value).flatMap((name) => notPlain(value[name], `${where}.${name}`))
    : misfit(value, where, 'an object');
/** Zero means no limit. */
const milliseconds = fits(
  (value) => typeof value === 'number' && value >= 0,
  'a number of milliseconds, 0 for no limit,',
);

const oneOf =
  (words: readonly string[]): Check =>
  (value, where) => {
    if (typeof value === 'string' && words.includes(value)) return [];
    return misfit(value, where, words.map((word) => `"${word}"`).join(' or '), true);
  };

const listOf =
  (item: Check, wanted: string): Check =>
  (value, where) =>
    Array.isArray(value)
      ? value.flatMap((one: unknown, at) => item(one, `${where}[${at}]`))
      : misfit(value, where, wanted);

/** As everywhere in the library, null counts as left out. */
const unlessNull =
  (check: Check): Check =>
  (value, where) =>
    value === null ? [] : check(value, where);

function wrongFields(value: JsonObject, checks: Readonly<Record<string, Check>>, prefix: string): string[] {
  return Object.entries(checks).flatMap(([key, check]) =>
    value[key] === undefined ? [] : check(value[key], `${prefix}${key}`),
  );
}

/**
 * `others` decides about unknown keys: `wrong` reports them, `let be` ignores them, for objects that serve
 * other purposes too.
 */
const fieldsOf =
  (fields: Readonly<Record<string, Check>>, others: 'let be' | 'wrong'): Check =>
  (value, where) => {
    if (!isFields(value)) return misfit(value, where, `an object with ${Object.keys(fields).join(', ')}`);
    const known = Object.keys(fields);
    const unknown = others === 'let be' ? [] : unknownIn(value, known);
    return [
      ...unknown.map((key) => `${where} has no ${unknownKey(key, known)}`),
      ...wrongFields(value, fields, `${where}.`),
    ];
  };

const everyOf = (names: readonly string[], check: Check): Readonly<Record<string, Check>> =>
  Object.fromEntries(names.map((name) => [name, check]));

const rules = unlessNull(
  listOf(
    fits((value) => typeof value === 'string', 'a rule as text'),
    'a list of rules',
  ),
);

const hook: Check = (value, where) =>
  isFields(value) ? aFunction(value['run'], `${where}.run`) : aFunction(value, where);
const hookList: Check = (value, where) =>
  Array.isArray(value) ? listOf(hook, '')(value, where) : hook(value, where);
// A misspelled hook would never run and would allow what it is meant to refuse.
const hooks = fieldsOf(
  everyOf(['tool.execute.before', 'tool.execute.after', 'server.connect.before'], unlessNull(hookList)),
  'wrong',
);

const questions: readonly (keyof Interaction)[] = [
  'confirmTrust',
  'confirmFolder',
  'askPermission',
  'openUrl',
  'showDeviceCode',
  'askCallback',
  'askSecret',
  'elicit',
  'sample',
  'roots',
  'toast',
];

// An instance of a class may have other fields.
const interaction: Check = (value, where) =>
  fieldsOf(everyOf(questions, unlessNull(aFunction)), isOfClass(value) ? 'let be' : 'wrong')(value, where);

const agentNames: Check = (value, where) => {
  const errors = listOf(text, 'a list of agents')(value, where);
  if (errors.length > 0 || !Array.isArray(value)) return errors;
  return unknownAgents(value).map((name) => unknownAgent(name, where));
};

const agentName: Check = (value, where) => {
  const errors = text(value, where);
  if (errors.length > 0 || typeof value !== 'string' || agentIdOf(value) !== undefined) return errors;
  return [unknownAgent(value, where)];
};

function unknownAgent(name: string, where: string): string {
  const near = nearest(name, agentIds);
  const hint = near === undefined ? 'the type AgentId lists them' : `did you mean "${near}"?`;
  return `${where} names an unknown agent "${name.slice(0, 60)}" (${hint})`;
}

const label = fits(
  (value) => typeof value === 'string' && value.trim() !== '' && !/\p{Cc}/u.test(value),
  'a string of one line that is not empty',
);
const webAddress = fits(
  (value) => typeof value === 'string' && /^https?:/i.test(value) && URL.canParse(value),
  'an http or https URL',
);
const appFields = fieldsOf({ name: label, version: unlessNull(label), url: unlessNull(webAddress) }, 'wrong');
const app: Check = (value, where) => [
  ...appFields(value, where),
  ...(isFields(value) && value['name'] === undefined ? [`${where} has no name`] : []),
];

const optionChecks: Readonly<Record<keyof HostOptions, Check>> = {
  cwd: unlessNull(text),
  home: unlessNull(text),
  env: unlessNull(anObject),
  agents: unlessNull(agentNames),
  servers: definitions,
  pinning: unlessNull(oneOf(['off', 'warn', 'withhold'])),
  plugins: listOf(
    fieldsOf({ servers: unlessNull(definitions), hooks: unlessNull(hooks) }, 'let be'),
    'a list of plugins',
  ),
  naming: unlessNull(oneOf(namingProfiles)),
  policy: fieldsOf({ default: unlessNull(oneOf(decisions)), ...everyOf(decisions, rules) }, 'wrong'),
  hooks: unlessNull(hooks),
  timeouts: unlessNull(
    fieldsOf(
      {
        ...everyOf(['startMs', 'idleMs', 'totalMs'], milliseconds),
        phases: fieldsOf(everyOf(phases, milliseconds), 'wrong'),
      },
      'wrong',
    ),
  ),
  client: unlessNull(agentName),
  app: unlessNull(app),
  watch: unlessNull(yesOrNo),
  trust: unlessNull(fieldsOf({ digests: unlessNull(listOf(text, 'a list of digests')) }, 'wrong')),
  interaction: unlessNull(interaction),
  stores: unlessNull(
    fieldsOf(everyOf(['credentials', 'trust', 'pins', 'cache'], unlessNull(anObject)), 'wrong'),
  ),
  logger: unlessNull(fieldsOf({ debug: aFunction, warn: aFunction }, 'let be')),
};

/** Repeats the value only if it should have been one of a few words; any other value may hold a secret. */
function misfit(value: unknown, where: string, wanted: string, repeats = false): readonly string[] {
  const found = repeats && typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : kindOf(value);
  return [`${where} must be ${wanted}, but is ${found}`];
}

/** Returns keys that are unknown and have a value. */
function unknownIn(value: JsonObject, known: readonly string[]): readonly string[] {
  const isSaid = (key: string): boolean => value[key] !== undefined && value[key] !== null;
  return Object.keys(value).filter((key) => !known.includes(key) && isSaid(key));
}

function unknownKey(key: string, known: readonly string[]): string {
  const near = nearest(key, known);
  const hint = near === undefined ? `known are ${known.join(', ')}` : `did you mean "${near}"?`;
  return `"${key.slice(0, 60)}" (${hint})`;
}

function isOfClass(value: unknown): boolean {
  if (!isFields(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== null && prototype !== Object.prototype;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number') return String(value);
  const container = containerOf(value);
  if (container !== undefined) return `a ${container}`;
  const names: Readonly<Record<string, string>> = {
    object: 'an object',
    string: 'a string',
    boolean: 'true or false',
    function: 'a function',
    undefined: 'missing',
  };
  return names[typeof value] ?? `a ${typeof value}`;
}

function isFields(value: unknown): value is JsonObject {
  return isObject(value) && containerOf(value) === undefined;
}
