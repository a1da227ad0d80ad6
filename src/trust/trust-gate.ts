/** The only way from a definition to something that may be launched. */

import type { Branded } from '../kernel/type-tools.ts';
import { HoltError } from '../kernel/errors.ts';
import type { ConfirmTrust } from '../kernel/interaction.ts';
import type { Machine } from '../kernel/machine.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { nameWord } from '../kernel/shell-words.ts';
import type { Files } from '../platform/files/files.ts';
import { describeForConsent, type ResolveProgram } from './consent-question.ts';
import { decisionRecord, withDecision } from './trust-record.ts';
import { saveFolderVerdict } from './folder-trust.ts';
import { isAllowed, type Approvals, type TrustState } from './trust-state.ts';
import type { TrustStore } from './trust-store.ts';

/** A definition that may run, exactly as it is. `secrets/` and `transports/` accept only this type. */
export type TrustedServer = Branded<ServerDefinition, 'trusted'>;

export interface TrustGateParts {
  readonly machine: Machine;
  readonly files: Files;
  /** Loads the approvals again for each check: they may have changed since the list was made. */
  readonly loadApprovals: () => Approvals;
  readonly store: TrustStore;
  /** Omitted when there is no one to ask; the server is then refused. */
  readonly confirmTrust?: ConfirmTrust | undefined;
  readonly resolveProgram?: ResolveProgram | undefined;
  readonly now: () => Date;
}

/**
 * Resolves for a server that is allowed, asks about one without a decision, and otherwise rejects with
 * `trust-required`.
 */
export async function passTrustGate(
  definition: ServerDefinition,
  parts: TrustGateParts,
): Promise<TrustedServer> {
  const approvals = parts.loadApprovals();
  const copy = frozenCopy(definition);
  const state = approvals.stateOf(copy);
  if (isAllowed(state)) return markTrusted(copy);
  if (state === 'denied' || state === 'blocked') throw refused(copy, state);
  await askConsent(copy, state, { ...parts, approvals });
  // Check again: files may have changed during the question, and only what the user saw may run.
  return requireTrusted(copy, parts.loadApprovals());
}

/** Throws `trust-required` unless the definition is already allowed. Never asks. */
export function requireTrusted(definition: ServerDefinition, approvals: Approvals): TrustedServer {
  const copy = frozenCopy(definition);
  const state = approvals.stateOf(copy);
  if (isAllowed(state)) return markTrusted(copy);
  throw refused(copy, state, approvals.fingerprintOf(copy).uncertain);
}

export interface ConsentAskParts extends Omit<TrustGateParts, 'loadApprovals'> {
  readonly approvals: Approvals;
  /** The same entry as other agents read it. The answer applies to these definitions too. */
  readonly otherReadings?: readonly ServerDefinition[];
}

/**
 * Asks the user about one entry and stores the decision; `undecided` stores nothing. Rejects with
 * `trust-required` when there is no one to ask, or when a file of the entry cannot be read completely.
 */
export async function askConsent(
  definition: ServerDefinition,
  state: TrustState,
  parts: ConsentAskParts,
): Promise<void> {
  const { confirmTrust, approvals, store, otherReadings = [] } = parts;
  const { uncertain } = approvals.fingerprintOf(definition);
  if (confirmTrust === undefined || uncertain !== undefined) throw refused(definition, state, uncertain);
  const question = describeForConsent(definition, state, { ...parts, records: store.load() });
  const answer = await confirmTrust(question);
  if (answer === 'undecided') return;
  if (answer === 'allow-and-trust-folder') await saveFolderVerdict('trusted', parts);
  const isAllowing = answer === 'allow' || answer === 'allow-and-trust-folder';
  const verdict = isAllowing ? 'approved' : 'denied';
  const records = [definition, ...otherReadings].map((one) => decisionRecord(one, verdict, parts));
  await store.change((all) => records.reduce(withDecision, all));
}

const trustedCopies = new WeakSet<ServerDefinition>();

function markTrusted(definition: ServerDefinition): TrustedServer {
  trustedCopies.add(definition);
  return definition as TrustedServer; // the only place that may cast to this type
}

/**
 * Checks at run time, for callers without type checking. Throws `trust-required` when the definition did not
 * pass the gate.
 */
export function assertTrusted(server: TrustedServer): void {
  if (!trustedCopies.has(server)) throw refused(server, 'untrusted');
}

/** Returns a frozen copy, so that the definition cannot change after the check. */
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
      : `cannot be approved: ${uncertain.join(', ')} cannot be read completely`;
  const message = `Server "${name}" of ${origin.file}:${origin.line} ${why}`;
  const remedy =
    reason === 'blocked'
      ? 'Ask the administrator of this machine.'
      : reason === 'denied'
        ? `holt trust ${nameWord(name)} asks about it again.`
        : `Look at it and approve it with holt trust ${nameWord(name)}.`;
  return new HoltError('trust-required', message, { server: name, reason }, { remedy });
}
