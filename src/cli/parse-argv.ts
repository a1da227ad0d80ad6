/**
 * Parses arguments into options and positionals. Options may precede or follow the command, up to `--`. Also has the
 * options that every command takes.
 */

import type { CommandInput, OptionSpec } from '../commands/command.ts';
import { HoltError } from '../kernel/errors.ts';
import { nearest } from '../kernel/nearest.ts';

type Options = Readonly<Record<string, OptionSpec>>;

export interface ParsedArgv extends CommandInput {
  readonly flags: ReadonlySet<string>;
}

interface Parsing {
  readonly options: Options;
  readonly positionals: string[];
  readonly flags: Set<string>;
  readonly values: Record<string, string[]>;
}

/** How a command wants its arguments to be parsed. */
export interface WordRules {
  /** Once it returns true, all further words belong to the program that is named there. */
  readonly stopsAt?: (positionals: readonly string[]) => boolean;
  /** Words after `--` have their own meaning. Otherwise they are positionals, whatever they begin with. */
  readonly keepsRest?: boolean;
  /** After the first word, unknown options are positionals. */
  readonly passesOptions?: boolean;
}

export function parseArgv(words: readonly string[], options: Options, rules: WordRules = {}): ParsedArgv {
  const parsing: Parsing = { options, positionals: [], flags: new Set(), values: {} };
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (rules.stopsAt?.(parsing.positionals) === true) return finish(parsing, words.slice(at));
    if (word === '--') return finishAfter(parsing, words.slice(at + 1), rules.keepsRest === true);
    if (isPlain(word, parsing, rules)) parsing.positionals.push(word);
    else at += (word.startsWith('--') ? takeLong : takeShort)(parsing, word, words.slice(at + 1));
  }
  return finish(parsing, undefined);
}

/** True for positionals. After the first word, `passesOptions` adds unknown options and negative numbers. */
function isPlain(word: string, { positionals, options }: Parsing, { passesOptions }: WordRules): boolean {
  if (!word.startsWith('-') || word === '-') return true;
  if (passesOptions !== true || positionals.length === 0) return false;
  return /^--|^-\d/.test(word) && !isOption(word, options);
}

function finishAfter(parsing: Parsing, words: readonly string[], keepsRest: boolean): ParsedArgv {
  if (keepsRest) return finish(parsing, words);
  return finish({ ...parsing, positionals: [...parsing.positionals, ...words] }, undefined);
}

function finish({ positionals, flags, values }: Parsing, rest: readonly string[] | undefined): ParsedArgv {
  return { positionals, flags, values, rest };
}

/** Parses a long option. Returns how many of the following words it used. */
function takeLong(parsing: Parsing, word: string, following: readonly string[]): number {
  const equals = word.indexOf('=');
  const name = equals === -1 ? word.slice(2) : word.slice(2, equals);
  const attached = equals === -1 ? undefined : word.slice(equals + 1);
  const found = Object.entries(parsing.options).find(
    ([own, { aliases }]) => own === name || aliases?.includes(name) === true,
  );
  if (found === undefined)
    throw unknownOption(
      `--${name}`,
      Object.keys(parsing.options).map((own) => `--${own}`),
    );
  const [own, spec] = found;
  if (spec.type === 'flag') {
    if (attached !== undefined) throw usage(word, `--${name} takes no value`);
    parsing.flags.add(own);
    return 0;
  }
  const value = attached ?? valueIn(following[0], parsing.options);
  if (value === undefined) return takeWithoutValue(parsing, own, { name, spec });
  return takeValues(parsing, [own, spec], { value, following, attached: attached !== undefined });
}

/** Stores the value and those that follow it. Returns how many of the following words were used. */
function takeValues(
  { values }: Parsing,
  [own, { furtherValues }]: readonly [string, OptionSpec],
  given: { readonly value: string; readonly following: readonly string[]; readonly attached: boolean },
): number {
  const used = given.attached ? 0 : 1;
  const later = given.following.slice(used);
  const end = later.findIndex((word) => furtherValues?.test(word) !== true);
  const further = later.slice(0, end === -1 ? later.length : end);
  (values[own] ??= []).push(given.value, ...further);
  return used + further.length;
}

function takeWithoutValue(
  { flags }: Parsing,
  own: string,
  { name, spec }: { readonly name: string; readonly spec: OptionSpec },
): 0 {
  const { valueOptional, placeholder } = spec;
  if (valueOptional !== true)
    throw usage(
      `--${name}`,
      `--${name} needs a value`,
      placeholder === undefined ? undefined : `--${name} ${placeholder}`,
    );
  flags.add(own);
  return 0;
}

/** A known option is not a value: the user forgot the value, or a variable was empty. */
function valueIn(next: string | undefined, options: Options): string | undefined {
  return next === undefined || isOption(next, options) ? undefined : next;
}

/** True for `--` and for every spelling of a known option. */
export function isOption(word: string, options: Options): boolean {
  if (word === '--') return true;
  const [written = ''] = word.split('=', 1);
  return Object.entries(options).some(
    ([name, { short, aliases = [] }]) =>
      word === `-${short}` || [name, ...aliases].some((spelling) => written === `--${spelling}`),
  );
}

function takeShort(parsing: Parsing, word: string, following: readonly string[]): number {
  for (let at = 1; at < word.length; at += 1) {
    const letter = word[at] ?? '';
    const found = Object.entries(parsing.options).find(([, { short }]) => short === letter);
    if (found === undefined) throw unknownOption(`-${letter}`, []);
    const [own, spec] = found;
    if (spec.type === 'flag') {
      parsing.flags.add(own);
      continue;
    }
    const attached = word.slice(at + 1).replace(/^=/, '');
    const value = attached === '' ? valueIn(following[0], parsing.options) : attached;
    if (value === undefined) throw usage(word, `-${letter} needs a value`);
    return takeValues(parsing, found, { value, following, attached: attached !== '' });
  }
  return 0;
}

function unknownOption(given: string, known: readonly string[]): HoltError {
  const near = nearest(given, known);
  const details = { given, ...(near === undefined ? {} : { nearest: near }) };
  const remedy = near === undefined ? 'Add --help to see the options.' : `Did you mean ${near}?`;
  return new HoltError('usage-invalid', `Unknown option ${given}`, details, { remedy });
}

function usage(given: string, message: string, example?: string): HoltError {
  return new HoltError(
    'usage-invalid',
    message,
    { given },
    example === undefined ? {} : { remedy: `Write ${example}.` },
  );
}

export const globalOptions = {
  json: { type: 'flag', summary: 'print one JSON document and nothing else' },
  cwd: {
    type: 'value',
    placeholder: 'DIR',
    summary: 'work as if started in this folder',
    completes: 'files',
  },
  home: {
    type: 'value',
    placeholder: 'DIR',
    summary: 'use this folder as the home folder',
    completes: 'files',
  },
  quiet: { type: 'flag', short: 'q', summary: 'print only the requested output' },
  verbose: { type: 'flag', short: 'v', summary: 'print more' },
  debug: { type: 'flag', summary: 'show where an error comes from' },
  'trust-digest': {
    type: 'value',
    placeholder: 'DIGEST',
    repeatable: true,
    summary: 'approve the entry with this digest for this run',
  },
  example: { type: 'flag', summary: 'add the example server that comes with holt' },
  help: { type: 'flag', short: 'h', summary: 'show help' },
  version: { type: 'flag', short: 'V', summary: 'show the version' },
} as const satisfies Readonly<Record<string, OptionSpec>>;
