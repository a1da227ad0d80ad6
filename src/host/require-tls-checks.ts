/** No host is opened for servers behind TLS while the environment says that nobody's certificate is to be checked. */

import type { ServerEntry } from '../connection/supervisor.ts';
import { HoltError } from '../kernel/errors.ts';
import { isAllowed } from '../trust/trust-state.ts';

const variable = 'NODE_TLS_REJECT_UNAUTHORIZED';

/**
 * Throws `usage-invalid`. holt itself checks every certificate whatever the variable says; whoever set it expects
 * otherwise, and the programs that holt starts would do as it says.
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

/** An address that is not known yet may well be one. */
function isBehindTls({ definition: { launch, enabled }, trust }: ServerEntry): boolean {
  return enabled && isAllowed(trust) && launch.kind !== 'stdio' && !/^(?:http|ws):/i.test(launch.url);
}
