/** One server as `list` shows it, in lines and in JSON. */

import type { AgentId } from '../kernel/agent-ids.ts';
import type { Origin, Scope, Transport } from '../kernel/servers.ts';
import { connectText } from '../masking/mask-secrets.ts';
import type { RosterEntry } from '../roster/rank.ts';
import { isAllowed } from '../trust/trust-state.ts';

interface Place {
  readonly agent: AgentId;
  readonly scope: Scope;
  readonly file: string;
  readonly line: number;
}

export interface ServerRow extends Place {
  readonly name: string;
  readonly transport: Transport;
  readonly connect: string;
  readonly source: string;
  readonly enabled: boolean;
  readonly trusted: boolean;
  /** Somebody said no to it: it waits for nothing. */
  readonly denied?: true;
  readonly alsoIn: readonly Place[];
  readonly shadows: readonly Place[];
}

export function serverRow({ definition, trust, shadows, scopes }: RosterEntry): ServerRow {
  const { name, launch, enabled, origin, alsoIn } = definition;
  return {
    name,
    transport: launch.kind,
    connect: connectText(definition),
    source: scopes.join('+'),
    ...placeOf(origin),
    enabled,
    trusted: isAllowed(trust),
    ...(trust === 'denied' || trust === 'blocked' ? { denied: true } : {}),
    alsoIn: alsoIn.map(placeOf),
    shadows: shadows.map(placeOf),
  };
}

export function placeOf({ agent, scope, file, line }: Origin): Place {
  return { agent, scope, file, line };
}

/** The SOURCE column. */
export function sourceText({
  source,
  enabled,
  trusted,
}: Pick<ServerRow, 'source' | 'enabled' | 'trusted'>): string {
  return `${source}${enabled ? '' : ' (disabled)'}${trusted ? '' : ' (untrusted)'}`;
}
