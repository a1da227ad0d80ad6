/** The error for every use of a host that is closed. */

import { HoltError } from '../kernel/errors.ts';

export function hostClosed(): HoltError<'host-closed'> {
  return new HoltError('host-closed', 'The host is closed', { reason: 'close() was called' });
}
