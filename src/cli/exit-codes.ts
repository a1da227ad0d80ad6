/** What scripts may rely on. Numbers are never given a second meaning. */

import type { ErrorCode } from '../kernel/errors.ts';

export const exitCodes = {
  'usage-invalid': 2,
  'server-not-found': 2,
  'server-ambiguous': 2,
  'agent-unknown': 2,
  'trust-required': 4,
  'secret-unresolved': 6,
  'secret-input-needed': 6,
  'program-missing': 6,
  'config-invalid': 1,
  'config-unwritable': 1,
  'config-not-ours': 1,
  'server-exists': 1,
  'agent-not-writable': 2,
  'scope-unavailable': 2,
  'undo-empty': 1,
  'folder-unsafe': 1,
  'lock-busy': 7,
  'internal-error': 70,
  interrupted: 130,
} as const satisfies Record<ErrorCode, number>;
