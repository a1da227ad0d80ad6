/** Masks secrets in command arguments. Each argument is judged together with the one before it. */

import type { DialectId } from '../../kernel/servers.ts';
import { isConnectionName, isSecretFlag, isSecretName } from './secret-names.ts';
import { maskText, pairName } from './text.ts';
import { mask } from './tokens.ts';
import { maskValue } from './value.ts';

const wholeFlag = /^-{1,2}[A-Za-z][\w.-]*$/;
const wholeHeader = /^((?:--?[\w-]+=|-H)?([A-Za-z][\w-]*)\s*:(?!\/\/)\s*)(.*)$/s;
const wholePair = /^((-{0,2}[A-Za-z_][\w.-]*)=)(.*)$/s;
/** Flags whose value runs as a script: `sh -c`, `bash -lc`, `env -S`, `node --eval`, `cmd /c`. */
const scriptFlag = /^(?:-[A-Za-z]*c|-S|\/[ck]|-command|--(?:eval|print|command|call|exec|split-string))$/i;

export function maskArgument(arg: string, before: string | undefined, dialect: DialectId): string {
  if (before !== undefined && wholeFlag.test(before) && !isFlag(arg)) {
    if (isSecretFlag(before)) return maskValue(arg, dialect);
    if (isConnectionName(before)) return maskConnection(arg);
  }
  return maskPair(arg, before, dialect) ?? maskHeader(arg, before, dialect) ?? maskText(arg);
}

/**
 * Masks `user:password` before the `@` in a connection string that is not a URL, and the rest like any text.
 */
export function maskConnection(text: string): string {
  const bare = /^[^:@/\s]+:[^\s/](?:.*)@(?=[\w([])/.exec(text);
  return bare === null ? maskText(text) : `${mask}@${maskText(text.slice(bare[0].length))}`;
}

/**
 * Masks an argument that is a single pair. The whole value is the secret, whatever characters it contains.
 */
function maskPair(arg: string, before: string | undefined, dialect: DialectId): string | undefined {
  const [, head = '', name = '', value = ''] = wholePair.exec(arg) ?? [];
  if (head === '' || isScript(value, before)) return undefined;
  if (isSecretName(name)) return head + maskValue(value, dialect);
  return isConnectionName(name) ? head + maskConnection(value) : undefined;
}

/** Masks an argument that is a single header, with or without its flag. */
function maskHeader(arg: string, before: string | undefined, dialect: DialectId): string | undefined {
  const [, head = '', name = '', value = ''] = wholeHeader.exec(arg) ?? [];
  if (head === '' || scriptFlag.test(before ?? '') || /\$\(|[`\n|]|&&/.test(arg)) return undefined;
  return pairName.test(name) && isSecretName(name) ? head + maskValue(value, dialect) : undefined;
}

/** True when a part of the value may be a command, which the user must be able to see. */
function isScript(value: string, before = ''): boolean {
  if (before === '--env') return false;
  // `docker -e NAME=value` and `ruby -e CODE` look alike.
  if (before === '-e') return /[(`]|;.*\s|\s.*;/s.test(value);
  return scriptFlag.test(before) || /\s|\$\(|`/.test(value);
}

function isFlag(arg: string): boolean {
  return arg.startsWith('--') || /^-[A-Za-z]$/.test(arg);
}
