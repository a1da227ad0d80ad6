/** How the name of a tool reads in rules: made from the pair each time, so that no name ever has to be cut apart. */

import { createHash } from 'node:crypto';

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
  readonly exact: readonly ServerForm[];
  /** The same for all names that look alike. */
  readonly folded: readonly ServerForm[];
}

export interface ToolNames {
  readonly forms: ServerForms;
  /** The tool's own name, sanitised. */
  readonly exact: string;
  /** The same for all names that look alike. Made when somebody asks. */
  folded(): string;
  /** The eight digits that set a long or clashing public name apart. */
  hash(): string;
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

/** A server in the shadow goes by two names: what holds one back holds the other back. */
export function serverForms(server: string, name: string): ServerForms {
  const all = server === name ? [server] : [server, name];
  return { server, exact: all.map(sanitise).map(formOf), folded: all.map(foldForm).map(formOf) };
}

function formOf(server: string): ServerForm {
  const whole = `${serverPrefix}${server}`;
  return { whole, double: `${whole}__`, plain: `${server}_` };
}

const builtIn: readonly ServerForm[] = [{ double: builtInPrefix }];
export const builtInForms: ServerForms = { server: '', exact: builtIn, folded: builtIn };

export function toolNames(forms: ServerForms, tool: string): ToolNames {
  let folded: string | undefined;
  return {
    forms,
    exact: sanitise(tool),
    folded: () => (folded ??= foldForm(tool)),
    hash: () => pairHash(forms.server, tool),
  };
}

/** As public names have it. */
export function pairHash(server: string, tool: string): string {
  return createHash('sha256').update(`${server}\0${tool}`).digest('hex').slice(0, 8);
}
