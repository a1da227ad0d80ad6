/**
 * Masks entries for display, and checks whether an entry or a file holds a secret as plain text. Works for any
 * agent's format.
 */

import type { JsonValue } from '../../kernel/json.ts';
import type { DialectId } from '../../kernel/servers.ts';
import { looksSecret } from '../../masking/looks-secret.ts';
import { maskArgs, maskEnv, maskUrl } from '../../masking/mask-secrets.ts';
import { parseDocument } from '../../documents/parse-document.ts';
import { toValue, type DocFormat } from '../../documents/tree.ts';
import type { Machine } from '../../kernel/machine.ts';
import { shellWord } from '../../kernel/shell-words.ts';

const url = /^\s*[a-z][a-z\d+.-]*:\/\//i;

export function maskEntry(entry: JsonValue, dialect: DialectId): JsonValue {
  if (Array.isArray(entry)) return maskList(entry, dialect);
  if (typeof entry !== 'object' || entry === null) return entry;
  return Object.fromEntries(
    Object.entries(entry).map(([key, value]) => [
      key,
      typeof value === 'string' ? maskNamed(key, value, dialect) : maskEntry(value, dialect),
    ]),
  );
}

function maskList(list: readonly JsonValue[], dialect: DialectId): JsonValue {
  const texts = list.filter((item) => typeof item === 'string');
  if (texts.length === list.length) return maskArgs(texts, dialect);
  return list.map((item) => maskEntry(item, dialect));
}

function maskNamed(key: string, text: string, dialect: DialectId): string {
  if (url.test(text)) return maskUrl(text, dialect);
  return maskEnv({ [key]: text }, dialect)[key] ?? text;
}

export function holdsSecret(entry: JsonValue, dialect: DialectId): boolean {
  if (Array.isArray(entry))
    return entry.some((item, index) => itemHoldsSecret(item, entry[index - 1], dialect));
  if (typeof entry !== 'object' || entry === null) return false;
  return Object.entries(entry).some(([key, value]) =>
    typeof value === 'string' ? looksSecret(key, value, dialect) : holdsSecret(value, dialect),
  );
}

const pair = /^-{0,2}([A-Za-z_][\w.-]*)=(.*)$/s;

/** Judges an argument by the flag before it, or by the name before its `=`. */
function itemHoldsSecret(item: JsonValue, before: JsonValue | undefined, dialect: DialectId): boolean {
  if (typeof item !== 'string') return holdsSecret(item, dialect);
  const [, name, value] = pair.exec(item) ?? [];
  if (name !== undefined) return looksSecret(name, value ?? '', dialect);
  const flag = typeof before === 'string' && before.startsWith('-') ? before : '';
  return looksSecret(flag, item, dialect);
}

export interface FileState {
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly mode: number;
  readonly format: DocFormat;
  readonly dialect: DialectId;
}

const readableByOthers = 0o044;

/** For a file that keeps its mode. Resolves to an empty array when there is nothing to warn about. */
export async function exposureWarnings(state: FileState, { os }: Machine): Promise<readonly string[]> {
  const { file, bytes, mode, format, dialect } = state;
  // File modes have no meaning on Windows.
  if (os === 'windows' || (mode & readableByOthers) === 0) return [];
  const document = await parseDocument(bytes, format);
  const isExposed =
    document.ok && document.root !== undefined && holdsSecret(toValue(document.root), dialect);
  return isExposed ? [`${file} holds a secret and others can read it: chmod 600 ${shellWord(file)}`] : [];
}
