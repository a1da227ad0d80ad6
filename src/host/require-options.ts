/** What a program hands over when it opens a host is looked at first: a slip of the pen must not loosen anything in silence. */

import { HoltError } from '../kernel/errors.ts';
import { nearest } from '../kernel/nearest.ts';
import { phases } from '../kernel/phases.ts';
import { decisions } from '../policy/policy-rule.ts';
import { namingProfiles } from '../settings/settings.ts';
import { notPlain } from '../roster/not-plain.ts';

/** What is wrong with a value, each with its place; nothing when it fits. */
type Check = (value: unknown, where: string) => readonly string[];

type Fields = Readonly<Record<string, unknown>>;

/** Throws `config-invalid`, which names every option that does not fit, what was given and what belongs there. */
export function requireOptions(options: unknown): void {
  const errors = isFields(options)
    ? Object.entries(optionChecks).flatMap(([name, check]) => check(options[name], name))
    : misfit(options, 'the options', 'an object');
  if (errors.length > 0)
    throw new HoltError(
      'config-invalid',
      `Invalid options: ${errors.join('; ')}`,
      { errors },
      { remedy: 'Change what is handed to openHost.' },
    );
}

const fits =
  (isFit: (value: unknown) => boolean, wanted: string): Check =>
  (value, where) =>
    isFit(value) ? [] : misfit(value, where, wanted);

const text = fits((value) => typeof value === 'string', 'a text');
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

/** As everywhere in the library, what is null was left out. */
const unlessNull =
  (check: Check): Check =>
  (value, where) =>
    value === null ? [] : check(value, where);

const unlessLeftOut =
  (check: Check): Check =>
  (value, where) =>
    value === undefined ? [] : check(value, where);

/** `others` are keys that nobody reads: let be, or told of where a slip would change what is meant. */
const fieldsOf =
  (fields: Readonly<Record<string, Check>>, others: 'let be' | 'wrong'): Check =>
  (value, where) => {
    if (!isFields(value)) return misfit(value, where, `an object with ${Object.keys(fields).join(', ')}`);
    const unknown =
      others === 'let be' ? [] : Object.keys(value).filter((key) => !Object.hasOwn(fields, key));
    return [
      ...unknown.map((key) => unknownKey(key, where, Object.keys(fields))),
      ...Object.entries(fields).flatMap(([key, check]) =>
        unlessLeftOut(check)(value[key], `${where}.${key}`),
      ),
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
// Hooks of other names may be meant for others: one object often serves several libraries.
const hooks = fieldsOf(
  everyOf(['tool.execute.before', 'tool.execute.after', 'server.connect.before'], unlessNull(hookList)),
  'let be',
);

const questions = [
  'confirmTrust',
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

const optionChecks: Readonly<Record<string, Check>> = Object.fromEntries(
  Object.entries<Check>({
    cwd: unlessNull(text),
    home: unlessNull(text),
    env: unlessNull(anObject),
    agents: unlessNull(listOf(text, 'a list of agents')),
    servers: definitions,
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
    watch: unlessNull(yesOrNo),
    trust: unlessNull(fieldsOf({ digests: unlessNull(listOf(text, 'a list of digests')) }, 'wrong')),
    interaction: unlessNull(fieldsOf(everyOf(questions, aFunction), 'let be')),
    stores: unlessNull(
      fieldsOf(everyOf(['credentials', 'trust', 'pins', 'cache'], unlessNull(anObject)), 'wrong'),
    ),
    logger: unlessNull(fieldsOf({ debug: aFunction, warn: aFunction }, 'let be')),
  }).map(([name, check]) => [name, unlessLeftOut(check)]),
);

/** Only words out of a few are repeated: anything else may hold a secret. */
function misfit(value: unknown, where: string, wanted: string, repeats = false): readonly string[] {
  const found = repeats && typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : kindOf(value);
  return [`${where} is ${found} where ${wanted} belongs`];
}

function unknownKey(key: string, where: string, known: readonly string[]): string {
  const near = nearest(key, known);
  const hint = near === undefined ? `known are ${known.join(', ')}` : `did you mean "${near}"?`;
  return `${where} has no "${key.slice(0, 60)}" (${hint})`;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number') return String(value);
  const names: Readonly<Record<string, string>> = {
    object: 'an object',
    string: 'a text',
    boolean: 'true or false',
    function: 'a function',
    undefined: 'missing',
  };
  return names[typeof value] ?? `a ${typeof value}`;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
