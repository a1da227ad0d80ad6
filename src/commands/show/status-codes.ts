/** Maps a server's status to the exit code of a command that named the server. */

import type { ServerReport } from '../../connection/supervisor.ts';
import type { Status } from '../../kernel/status.ts';

const codes = {
  connected: 0,
  idle: 0,
  disabled: 1,
  needs_auth: 3,
  needs_client_registration: 3,
  untrusted: 4,
  blocked: 5,
  needs_input: 6,
  failed: 6,
  connecting: 6,
} as const satisfies Record<Status['status'], number>;

/** Returns the highest exit code. A timeout has a code of its own. */
export function worstExit(reports: readonly ServerReport[]): number {
  return Math.max(
    0,
    ...reports.map(({ status, code }) => (code === 'connect-timeout' ? 7 : codes[status.status])),
  );
}
