/** The one way from a definition to something that may be launched. */

import type { Branded } from '../kernel/brand.ts';
import { HoltError } from '../kernel/errors.ts';
import type { ConfirmTrust } from '../kernel/interaction.ts';
import type { Machine } from '../kernel/machine.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { describeForConsent } from './consent-question.ts';
import { decisionRecord, withDecision } from './decide.ts';
import type { TrustRecord } from './trust-record.ts';
import { isAllowed, type Approvals, type TrustState } from './trust-state.ts';
import type { TrustStore } from './trust-store.ts';

/** A definition somebody agreed to run, exactly as it is. `secrets/` and `transports/` accept nothing less. */
export type TrustedServer = Branded<ServerDefinition, 'trusted'>;

export interface TrustGateParts {
  readonly machine: Machine;
  readonly approvals: Approvals;
  readonly store: TrustStore;
  /** Left out where nobody can be asked: then the answer is no. */
  readonly confirmTrust?: ConfirmTrust | undefined;
  readonly now: () => Date;
}

/** Lets through what is allowed, asks about what is not, and refuses with `trust-required` otherwise. */
export async function passTrustGate(definition: ServerDefinition, parts: TrustGateParts): Promise<TrustedServer> {
  const state = parts.approvals.stateOf(definition);
  if (isAllowed(state)) return mint(definition);
  if (state === 'denied' || state === 'blocked' || parts.confirmTrust === undefined) throw refused(definition, state);

  const records = parts.store.load();
  const answer = await parts.confirmTrust(describeForConsent(definition, state, { ...parts, records }));
  if (answer === 'undecided') throw refused(definition, state);
  const record: TrustRecord = decisionRecord(definition, answer === 'allow' ? 'approved' : 'denied', parts);
  await parts.store.change((all) => withDecision(all, record));
  if (answer === 'allow') return mint(definition);
  throw refused(definition, 'denied');
}

/** For what is already allowed; everything else is refused without a question. */
export function requireTrusted(definition: ServerDefinition, approvals: Approvals): TrustedServer {
  const state = approvals.stateOf(definition);
  if (isAllowed(state)) return mint(definition);
  throw refused(definition, state);
}

function mint(definition: ServerDefinition): TrustedServer {
  return definition as TrustedServer; // the only place that may say so
}

const reasons: Readonly<Record<Exclude<TrustState, 'open' | 'approved'>, string>> = {
  untrusted: 'is not approved',
  changed: 'has changed since it was approved',
  denied: 'was denied',
  blocked: 'is forbidden by an administrator',
};

function refused(definition: ServerDefinition, state: TrustState): HoltError {
  const { name, origin } = definition;
  const reason = state === 'open' || state === 'approved' ? 'untrusted' : state;
  const message = `Server "${name}" of ${origin.file}:${origin.line} ${reasons[reason]}`;
  const remedy = reason === 'blocked' ? 'Ask whoever manages this machine.' : `Look at it and approve it with holt trust ${name}.`;
  return new HoltError('trust-required', message, { server: name, reason }, { remedy });
}
