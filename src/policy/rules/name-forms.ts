/**
 * The spellings of tool names in rules. They are always built from server and tool, so that no name has to be
 * split.
 */

import { sha256 } from '../../kernel/hash.ts';
import { trimBlanks } from '../../masking/edge-blanks.ts';
import { foldName } from '../../masking/fold-name.ts';
import { builtInPrefix, serverPrefix } from './read-rule.ts';

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
    return (this.#folded ??= lookalikeForms(this.#tool));
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
function lookalikeForms(name: string): readonly string[] {
  const whole = foldForm(name);
  const trimmed = foldForm(trimBlanks(name));
  return whole === trimmed ? [whole] : [whole, trimmed];
}

/** Returns the spellings of a server. A shadowed server has two names, and a rule for either one applies. */
export function serverForms(server: string, name: string): ServerForms {
  const others = server === name ? [] : [name];
  return {
    server,
    exact: [formOf(sanitise(server)), ...others.map(sanitise).map(formOf)],
    folded: [server, ...others].flatMap(lookalikeForms).map(formOf),
  };
}

function formOf(server: string): ServerForm {
  const whole = `${serverPrefix}${server}`;
  return { whole, double: `${whole}__`, plain: `${server}_` };
}

const builtIn: readonly [ServerForm] = [{ double: builtInPrefix }];
export const builtInForms: ServerForms = { server: '', exact: builtIn, folded: builtIn };

/** Returns the hash of server and tool that public names use. */
export function pairHash(server: string, tool: string): string {
  return sha256(`${server}\0${tool}`).slice(0, 8);
}
