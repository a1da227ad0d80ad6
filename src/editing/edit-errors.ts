/** Errors that explain to a person why a file was not changed. */

import { HoltError } from '../kernel/errors.ts';
import type { FileOutcome } from '../platform/files/files.ts';

export function notChanged(
  file: string,
  reason: string,
  errors: readonly string[] = [reason],
): HoltError<'config-invalid'> {
  return new HoltError('config-invalid', `${file} was not changed: ${reason}`, { file, errors });
}

export function changedMeanwhile(file: string): HoltError<'config-unwritable'> {
  const message = `${file} was changed by another program meanwhile; nothing was written`;
  return new HoltError(
    'config-unwritable',
    message,
    { file, reason: 'changed' },
    { remedy: 'Look at it and try again.' },
  );
}

type Unread = Exclude<FileOutcome, { kind: 'missing' | 'file' }>;

export function unreadable(file: string, outcome: Unread): HoltError<'config-unwritable'> {
  return new HoltError('config-unwritable', `${file} was not changed: ${whyUnread(outcome)}`, {
    file,
    reason: outcome.kind,
  });
}

function whyUnread(outcome: Unread): string {
  if (outcome.kind === 'unreadable') return `it cannot be read: ${outcome.reason}`;
  return outcome.kind === 'too-large' ? 'it is too large' : `${outcome.what} is in its place`;
}
