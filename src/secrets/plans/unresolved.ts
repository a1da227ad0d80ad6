/**
 * The error for a value that is missing or invalid: which server, which field, why. Never contains the value.
 */

import { HoltError } from '../../kernel/errors.ts';
import type { ServerDefinition } from '../../kernel/servers.ts';

export function unresolved(
  { name }: ServerDefinition,
  field: string,
  reason: string,
  remedy?: string,
): HoltError<'secret-unresolved'> {
  const message = `Server "${name}" cannot start: ${reason} (needed for "${field}")`;
  return new HoltError(
    'secret-unresolved',
    message,
    { server: name, field, reason },
    remedy === undefined ? {} : { remedy },
  );
}
