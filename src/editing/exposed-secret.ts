/** Warns about a file that holds a secret as plain text and that others on the machine can read. */

import { parseDocument } from '../documents/parse-document.ts';
import { toValue, type DocFormat } from '../documents/tree.ts';
import type { Machine } from '../kernel/machine.ts';
import type { DialectId } from '../kernel/servers.ts';
import { shellWord } from '../kernel/shell-words.ts';
import { holdsSecret } from './entries/mask-entry.ts';

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
