/** One server in the output of `holt list`, as text and as JSON. */

import type { AgentId } from '../../kernel/agent-ids.ts';
import type { CopyOrigin, Scope, ServerDefinition, Transport } from '../../kernel/servers.ts';
import { agentLabel } from '../../agents/all-agents.ts';
import { connectText } from '../../masking/mask-secrets.ts';
import { disabledBy } from '../../roster/copies.ts';
import type { RosterEntry } from '../../roster/rank.ts';
import { isAllowed } from '../../trust/trust-state.ts';

interface Place {
  readonly agent: AgentId;
  readonly scope: Scope;
  readonly file: string;
  readonly line: number;
}

interface CopyPlace extends Place {
  readonly enabled: boolean;
}

export interface ServerRow extends CopyPlace {
  readonly name: string;
  readonly transport: Transport;
  readonly connect: string;
  readonly source: string;
  readonly trusted: boolean;
  /** The user or an administrator denied it. */
  readonly denied?: true;
  /** The agent in which the user has refused this server of the project. */
  readonly rejectedIn?: AgentId;
  readonly alsoIn: readonly CopyPlace[];
  readonly shadows: readonly CopyPlace[];
}

export function serverRow({ definition, trust, shadows, scopes }: RosterEntry): ServerRow {
  const { name, launch, enabled, origin, alsoIn } = definition;
  return {
    name,
    transport: launch.kind,
    connect: connectText(definition),
    source: scopes.join('+'),
    ...placeOf({ ...origin, enabled }),
    trusted: isAllowed(trust),
    ...(trust === 'denied' || trust === 'blocked' ? { denied: true } : {}),
    ...rejection(definition),
    alsoIn: alsoIn.map(placeOf),
    shadows: shadows.map(placeOf),
  };
}

export function placeOf({ agent, scope, file, line, enabled }: CopyOrigin): CopyPlace {
  return { agent, scope, file, line, enabled };
}

/** Reports that the server is disabled because the user rejected it in an agent. */
export function rejection(definition: ServerDefinition): Pick<ServerRow, 'rejectedIn'> {
  const cause = disabledBy(definition);
  return cause?.rejected === true && cause.agent !== undefined ? { rejectedIn: cause.agent } : {};
}

/** Formats the SOURCE column. */
export function sourceText({
  source,
  enabled,
  trusted,
  rejectedIn,
}: Pick<ServerRow, 'source' | 'enabled' | 'trusted' | 'rejectedIn'>): string {
  const state = `${enabled ? '' : ' (disabled)'}${trusted ? '' : ' (untrusted)'}`;
  return `${source}${state}${rejectedIn === undefined ? '' : ` (rejected in ${agentLabel(rejectedIn)})`}`;
}
