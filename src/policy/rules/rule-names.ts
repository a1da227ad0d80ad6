/**
 * How rules name tools: the syntax of a rule, the spellings of a tool's name that rules are compared with,
 * and names that end in a hash. Spellings are always built from server and tool, so that no name has to be
 * split.
 */

import { sha256 } from '../../kernel/hash.ts';
import { trimBlanks } from '../../masking/edge-blanks.ts';
import { foldName } from '../../masking/fold-name.ts';
import type { PolicyRule } from '../policy-rule.ts';

export const serverPrefix = 'mcp__';
export const builtInPrefix = 'holt__';

/** The prefix of a server's tools in rules. */
export interface ServerForm {
  /** The name that rules use for the whole server. */
  readonly whole?: string;
  /** `mcp__<server>__` */
  readonly double: string;
  /** `<server>_` */
  readonly plain?: string;
}

/** The spellings of a server that rules are compared with. Built once for all of its tools. */
export interface ServerForms {
  /** The server name that public names are built from. */
  readonly server: string;
  readonly exact: readonly [ServerForm, ...ServerForm[]];
  /** The folded spellings, which are equal for names that look alike. */
  readonly folded: readonly ServerForm[];
}

/**
 * The spellings of a tool that rules are compared with. Built lazily, because most tools have no rule to
 * compare with.
 */
export class ToolNames {
  readonly forms: ServerForms;
  readonly #tool: string;
  #folded: readonly string[] | undefined;

  constructor(forms: ServerForms, tool: string) {
    this.forms = forms;
    this.#tool = tool;
  }

  /** The sanitised name of the tool, without the server. */
  get exact(): string {
    return sanitise(this.#tool);
  }

  /** The folded spellings of the name. Two if it has blanks at its ends: with and without them. */
  get folded(): readonly string[] {
    return (this.#folded ??= confusableForms(this.#tool));
  }

  /** The eight hexadecimal digits that make a long or ambiguous public name unique. */
  get hash(): string {
    return pairHash(this.forms.server, this.#tool);
  }
}

/**
 * Whether the pattern is a server's name followed by `__` without a tool, such as `mcp__fs__`, and no server
 * has that name.
 */
export function isUnfinished(pattern: string, servers: readonly { readonly ref: string }[]): boolean {
  const spelled = sanitise(pattern);
  const names = pattern.endsWith('__') ? servers.map(({ ref }) => `${serverPrefix}${sanitise(ref)}`) : [];
  return !names.includes(spelled) && names.some((name) => `${name}__` === spelled);
}

const outside = /[^A-Za-z0-9_-]/gu;

/**
 * Sanitises a name as public names are: every character other than a letter, digit, `_` or `-` becomes `_`.
 */
export function sanitise(name: string): string {
  return name.replaceAll(outside, '_');
}

/** Folds, then sanitises, because folding may produce characters that names must not contain. */
export function foldForm(name: string): string {
  return sanitise(foldName(name));
}

/**
 * Returns the folded name with and without blanks at its ends: a rule must match whether or not it contains
 * them.
 */
function confusableForms(name: string): readonly string[] {
  const whole = foldForm(name);
  const trimmed = foldForm(trimBlanks(name));
  return whole === trimmed ? [whole] : [whole, trimmed];
}

/** Returns the spellings of a server. A shadowed server has two names, and a rule for either one applies. */
function serverForms(server: string, name: string): ServerForms {
  const others = server === name ? [] : [name];
  return {
    server,
    exact: [formOf(sanitise(server)), ...others.map(sanitise).map(formOf)],
    folded: [server, ...others].flatMap(confusableForms).map(formOf),
  };
}

function formOf(server: string): ServerForm {
  const whole = `${serverPrefix}${server}`;
  return { whole, double: `${whole}__`, plain: `${server}_` };
}

/** Caches the spellings of a server, which all of its tools share. */
export function rememberForms(): (server: string, name: string) => ServerForms {
  const known = new Map<string, { readonly name: string; readonly forms: ServerForms }>();
  return (server, name) => {
    const last = known.get(server);
    if (last?.name === name) return last.forms;
    const forms = serverForms(server, name);
    known.set(server, { name, forms });
    return forms;
  };
}

const builtIn: readonly [ServerForm] = [{ double: builtInPrefix }];
export const builtInForms: ServerForms = { server: '', exact: builtIn, folded: builtIn };

/** Returns the hash of server and tool that public names use. */
export function pairHash(server: string, tool: string): string {
  return sha256(`${server}\0${tool}`).slice(0, 8);
}

export type RuleReading =
  | { readonly kind: 'pattern'; readonly pattern: string }
  | { readonly kind: 'unreadable'; readonly reason: string };

const wrapped = /^Tool\((.*)\)$/su;
const unusual = /[()\p{Cc}]/u;

/** Parses a rule. `Tool(X)` is read as `X`. */
export function readRule(text: string): RuleReading {
  const trimmed = text.trim();
  const pattern = (wrapped.exec(trimmed)?.[1] ?? trimmed).trim();
  if (pattern === '') return unreadable('it is empty');
  if (unusual.test(pattern)) return unreadable('parentheses belong to Tool(…) alone');
  if (canName(pattern, serverPrefix) || canName(pattern, builtInPrefix)) return { kind: 'pattern', pattern };
  return unreadable(`rules name tools as ${serverPrefix}<server>__<tool> or ${builtInPrefix}<tool>`);
}

function unreadable(reason: string): RuleReading {
  return { kind: 'unreadable', reason };
}

/** Whether the pattern can match a name with this prefix. A `*` may match part of the prefix. */
function canName(pattern: string, prefix: string): boolean {
  const folded = foldName(pattern);
  const star = folded.indexOf('*');
  if (star === -1) return folded.startsWith(prefix) && folded.length > prefix.length;
  const head = folded.slice(0, star);
  return head.startsWith(prefix) || prefix.startsWith(head);
}

export interface HashedName {
  readonly rule: PolicyRule;
  /** The beginning of the name, as far as it fits. */
  readonly head: string;
  readonly hash: string;
}

const shape = /^(mcp__[\w-]+)_([0-9a-f]{8})$/;

/** Returns the hashed name in this pattern as a list with one element; an empty list if there is none. */
export function hashedName(written: {
  readonly rule: PolicyRule;
  readonly pattern: string;
}): readonly HashedName[] {
  const { rule, pattern } = written;
  const [, head, hash] = shape.exec(pattern) ?? [];
  if (rule.form !== 'double' || head === undefined || hash === undefined) return [];
  return [{ rule, head, hash }];
}

/** Whether the hashed name denotes this tool. */
export function isHashedName({ head, hash }: HashedName, names: ToolNames): boolean {
  const [form] = names.forms.exact;
  return `${form.double}${names.exact}`.startsWith(head) && names.hash === hash;
}
