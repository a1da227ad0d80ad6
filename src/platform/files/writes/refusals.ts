/** The reasons why a file was not written: a code for programs and a sentence for users. */

import { HoltError, errorCode } from '../../../kernel/errors.ts';

const sentences: Readonly<Record<string, string>> = {
  'link-outside-folder': 'is reached through a link that leads out of its folder',
  'link-broken': 'is a link to nothing',
  'not-a-file': 'is not a file',
  EACCES: 'may not be written: permission denied',
  EPERM: 'may not be written: permission denied',
  EROFS: 'may not be written: the disk is read-only',
  ENOSPC: 'was not written: the disk is full',
  EDQUOT: 'was not written: the disk quota is used up',
  EFBIG: 'was not written: it is larger than this process may write',
};

/**
 * Returns the meaning of a system error code, for use in other messages. Undefined for codes without a
 * sentence.
 */
export function plainReason(code: string): string | undefined {
  return sentences[code]?.split(': ')[1];
}

const full: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

/** `reason` is one of the keys above, or another system error code. */
export function refuseWrite(file: string, reason: string, cause?: unknown): HoltError<'config-unwritable'> {
  const message = `${file} ${sentences[reason] ?? `was not written (${reason})`}`;
  const isLink = reason.startsWith('link-');
  return new HoltError(
    'config-unwritable',
    message,
    { file, reason },
    {
      cause,
      ...(isLink && { remedy: 'Change the file that the link stands for, or put a file in its place.' }),
      ...(full.has(reason) && { remedy: 'Make room on the disk and try again.' }),
    },
  );
}

export function explainWriteFailure(file: string, error: unknown): HoltError {
  return HoltError.is(error) ? error : refuseWrite(file, errorCode(error) ?? String(error), error);
}
