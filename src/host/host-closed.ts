/** What whoever still uses a closed host is told. */

import { HoltError } from '../kernel/errors.ts';

export function hostClosed(): HoltError<'host-closed'> {
  return new HoltError('host-closed', 'The host is closed', { reason: 'close() was called' });
}
