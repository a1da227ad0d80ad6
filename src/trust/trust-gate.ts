/** The one way from a definition to something that may be launched. */

import type { Branded } from '../kernel/type-tools.ts';
import { HoltError } from '../kernel/errors.ts';
import type { ConfirmTrust } from '../kernel/interaction.ts';
import type { Machine } from '../kernel/machine.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { nameWord } from '../kernel/shell-words.ts';
import type { Files } from '../platform/files.ts';
import { describeForConsent, type ResolveProgram } from './consent-question.ts';
import { decisionRecord, withDecision } from './decide.ts';
import { saveFolderVerdict } from './folder-trust.ts';
import { isAllowed, type Approvals, type TrustState } from './trust-state.ts';
import type { TrustStore } from './trust-store.ts';

/** A definition somebody agreed to run, exactly as it is. `secrets/` and `transports/` accept nothing less. */
export type TrustedServer = Branded<ServerDefinition, 'trusted'>;

export interface TrustGateParts {
  readonly machine: Machine;
  readonly files: Files;
  /** Looks anew each time: what was true when the list was made may not be true now. */
  readonly loadApprovals: () => Approvals;
  readonly store: TrustStore;
  /** Left out where nobody can be asked: then the answer is no. */
  readonly confirmTrust?: ConfirmTrust | undefined;
  readonly resolveProgram?: ResolveProgram | undefined;
  readonly now: () => Date;
}

/** Lets through what is allowed, asks about what is not, and refuses with `trust-required` otherwise. */
export async function passTrustGate(
  definition: ServerDefinition,
  parts: TrustGateParts,
): Promise<TrustedServer> {
  const approvals = parts.loadApprovals();
  const copy = frozenCopy(definition);
  const state = approvals.stateOf(copy);
  if (isAllowed(state)) return mint(copy);
  if (state === 'denied' || state === 'blocked') throw refused(copy, state);
  await askConsent(copy, state, { ...parts, approvals });
  // The person took their time; what runs has to be what they saw.
  return requireTrusted(copy, parts.loadApprovals());
}

/** For what is already allowed; everything else is refused without a question. */
export function requireTrusted(definition: ServerDefinition, approvals: Approvals): TrustedServer {
  const copy = frozenCopy(definition);
  const state = approvals.stateOf(copy);
  if (isAllowed(state)) return mint(copy);
  throw refused(copy, state, approvals.fingerprintOf(copy).uncertain);
}

export interface ConsentAskParts extends Omit<TrustGateParts, 'loadApprovals'> {
  readonly approvals: Approvals;
  /** The same entry as other agents read it: the answer holds for them too. */
  readonly twins?: readonly ServerDefinition[];
}

/** Shows one entry to the person and keeps what they decide. No answer decides nothing. */
export async function askConsent(
  definition: ServerDefinition,
  state: TrustState,
  parts: ConsentAskParts,
): Promise<void> {
  const { confirmTrust, approvals, store, twins = [] } = parts;
  const { uncertain } = approvals.fingerprintOf(definition);
  if (confirmTrust === undefined || uncertain !== undefined) throw refused(definition, state, uncertain);
  const question = describeForConsent(definition, state, { ...parts, records: store.load() });
  const answer = await confirmTrust(question);
  if (answer === 'undecided') return;
  if (answer === 'allow-and-trust-folder') await saveFolderVerdict('trusted', parts);
  const isAllowing = answer === 'allow' || answer === 'allow-and-trust-folder';
  const verdict = isAllowing ? 'approved' : 'denied';
  const records = [definition, ...twins].map((one) => decisionRecord(one, verdict, parts));
  await store.change((all) => records.reduce(withDecision, all));
}

const minted = new WeakSet<ServerDefinition>();

function mint(definition: ServerDefinition): TrustedServer {
  minted.add(definition);
  return definition as TrustedServer; // the only place that may say so
}

/** For callers whom no compiler held back: a definition that did not pass the gate is refused while running, too. */
export function assertTrusted(server: TrustedServer): void {
  if (!minted.has(server)) throw refused(server, 'untrusted');
}

/** What was looked at cannot be changed afterwards. */
function frozenCopy(definition: ServerDefinition): ServerDefinition {
  return freeze(structuredClone(definition));
}

function freeze<Value extends object>(value: Value): Value {
  for (const inner of Object.values(value) as unknown[])
    if (typeof inner === 'object' && inner !== null) freeze(inner);
  return Object.freeze(value);
}

const reasons: Readonly<Record<Exclude<TrustState, 'open' | 'approved'>, string>> = {
  untrusted: 'is not approved',
  changed: 'has changed since it was approved',
  denied: 'was denied',
  blocked: 'is forbidden by an administrator',
};

function refused(
  definition: ServerDefinition,
  state: TrustState,
  uncertain?: readonly string[],
): HoltError<'trust-required'> {
  const { name, origin } = definition;
  const reason = state === 'open' || state === 'approved' ? 'untrusted' : state;
  const why =
    uncertain === undefined
      ? reasons[reason]
      : `cannot be approved: ${uncertain.join(', ')} cannot be read whole`;
  const message = `Server "${name}" of ${origin.file}:${origin.line} ${why}`;
  const remedy =
    reason === 'blocked'
      ? 'Ask whoever manages this machine.'
      : reason === 'denied'
        ? `holt trust ${nameWord(name)} asks about it again.`
        : `Look at it and approve it with holt trust ${nameWord(name)}.`;
  return new HoltError('trust-required', message, { server: name, reason }, { remedy });
}
