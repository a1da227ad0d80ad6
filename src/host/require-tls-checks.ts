/** Refuses to open a host for TLS servers while the environment disables certificate checks. */

import type { ServerEntry } from '../connection/supervisor.ts';
import { HoltError } from '../kernel/errors.ts';
import { isAllowed } from '../trust/trust-state.ts';

const variable = 'NODE_TLS_REJECT_UNAUTHORIZED';

/**
 * Throws `usage-invalid`. holt itself ignores the variable and checks every certificate, which is not what
 * the user who set it expects. The programs that holt starts would obey it.
 */
export function requireTlsChecks(
  env: Readonly<Record<string, string | undefined>>,
  entries: readonly ServerEntry[],
): void {
  if (env[variable] !== '0') return;
  const behind = entries.find(isBehindTls);
  if (behind === undefined) return;
  throw new HoltError(
    'usage-invalid',
    `${variable}=0 switches off the checking of certificates, and "${behind.ref}" is reached over TLS`,
    { given: `${variable}=0` },
    {
      remedy: `Unset ${variable}. For an authority of your own set NODE_EXTRA_CA_CERTS, or tls.caFile in the entry of the server.`,
    },
  );
}

/** A URL with unresolved placeholders counts as TLS, because it may become one. */
function isBehindTls({ definition: { launch, enabled }, trust }: ServerEntry): boolean {
  return enabled && isAllowed(trust) && launch.kind !== 'stdio' && !/^(?:http|ws):/i.test(launch.url);
}
