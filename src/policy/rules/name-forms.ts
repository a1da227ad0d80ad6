/** How the name of a tool reads in rules: made from the pair each time, so that no name ever has to be cut apart. */

import { createHash } from 'node:crypto';

import { trimBlanks } from '../../masking/edge-blanks.ts';
import { foldName } from '../../masking/fold-name.ts';
import { builtInPrefix, serverPrefix } from './read-rule.ts';

/** What comes before the tool's own name. */
export interface ServerForm {
  /** What rules call the server as a whole. */
  readonly whole?: string;
  /** `mcp__<server>__` */
  readonly double: string;
  /** `<server>_` */
  readonly plain?: string;
}

/** One server in the spellings that rules are compared with. Made once for all of its tools. */
export interface ServerForms {
  /** What public names are made from. */
  readonly server: string;
  readonly exact: readonly [ServerForm, ...ServerForm[]];
  /** The same for all names that look alike. */
  readonly folded: readonly ServerForm[];
}

/** One tool in the spellings that rules are compared with. Made when somebody asks: mostly there is no rule to compare. */
export class ToolNames {
  readonly forms: ServerForms;
  readonly #tool: string;
  #folded: readonly string[] | undefined;

  constructor(forms: ServerForms, tool: string) {
    this.forms = forms;
    this.#tool = tool;
  }

  /** The tool's own name, sanitised. */
  get exact(): string {
    return sanitise(this.#tool);
  }

  /** The same for all names that look alike. Two where the name has blanks at its ends: with and without them. */
  get folded(): readonly string[] {
    return (this.#folded ??= lookalikeForms(this.#tool));
  }

  /** The eight digits that set a long or clashing public name apart. */
  get hash(): string {
    return pairHash(this.forms.server, this.#tool);
  }
}

/** `mcp__fs__` of a server "fs": a tool's name is missing, unless there is a server that is called so. */
export function isUnfinished(pattern: string, servers: readonly { readonly ref: string }[]): boolean {
  const spelled = sanitise(pattern);
  const names = pattern.endsWith('__') ? servers.map(({ ref }) => `${serverPrefix}${sanitise(ref)}`) : [];
  return !names.includes(spelled) && names.some((name) => `${name}__` === spelled);
}

const outside = /[^A-Za-z0-9_-]/gu;

/** As public names are made: what is no letter, digit, `_` or `-` becomes `_`. */
export function sanitise(name: string): string {
  return name.replaceAll(outside, '_');
}

/** Folded and then sanitised: a fold may bring characters to light that no name has. */
export function foldForm(name: string): string {
  return sanitise(foldName(name));
}

/** A rule may have been written with or without the blanks at the ends of a name, and has to hold either way. */
function lookalikeForms(name: string): readonly string[] {
  const whole = foldForm(name);
  const trimmed = foldForm(trimBlanks(name));
  return whole === trimmed ? [whole] : [whole, trimmed];
}

/** A server in the shadow goes by two names: what holds one back holds the other back. */
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

/** As public names have it. */
export function pairHash(server: string, tool: string): string {
  return createHash('sha256').update(`${server}\0${tool}`).digest('hex').slice(0, 8);
}
