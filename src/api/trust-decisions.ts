/**
 * Approves and denies servers over the API. To allow or deny, a client must send the digest of the question,
 * so that the decision covers only what the person looked at.
 */

import { HoltError } from '../kernel/errors.ts';
import type { TrustQuestion } from '../kernel/interaction.ts';
import type { Machine } from '../kernel/machine.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { Files } from '../platform/files/files.ts';
import type { Roster } from '../roster/load-roster.ts';
import { contentKey } from '../roster/same-server.ts';
import { describeForConsent, type ResolveProgram } from '../trust/consent-question.ts';
import { withoutDecision } from '../trust/trust-record.ts';
import { askConsent } from '../trust/trust-gate.ts';
import type { Approvals, TrustState } from '../trust/trust-state.ts';
import type { TrustStore } from '../trust/trust-store.ts';
import { Refusal } from './status-codes.ts';

export interface TrustDecisionsParts {
  readonly machine: Machine;
  readonly files: Files;
  readonly store: TrustStore;
  readonly loadApprovals: () => Approvals;
  readonly loadRoster: () => Promise<Roster>;
  readonly resolveProgram: ResolveProgram;
  readonly now: () => Date;
}

export interface TrustDecision {
  readonly decision: 'allow' | 'deny' | 'revoke';
  readonly digest?: string;
  readonly loaderVariables?: readonly string[];
}

export interface TrustDecisions {
  stateOf(definition: ServerDefinition): TrustState;
  /** Returns what a person has to look at; undefined when there is nothing to decide. */
  questionOf(definition: ServerDefinition): TrustQuestion | undefined;
  decide(definition: ServerDefinition, decision: TrustDecision): Promise<void>;
}

export function createTrustDecisions(parts: TrustDecisionsParts): TrustDecisions {
  const { machine, store, loadApprovals } = parts;
  const stateOf = (definition: ServerDefinition): TrustState => loadApprovals().stateOf(definition);
  return {
    stateOf,
    questionOf: (definition) => {
      const approvals = loadApprovals();
      const state = approvals.stateOf(definition);
      if (state !== 'untrusted' && state !== 'changed') return undefined;
      return describeForConsent(definition, state, { ...parts, approvals, records: store.load() });
    },
    decide: async (definition, decision) => {
      const state = stateOf(definition);
      if (state === 'open') throw nothingToDecide(definition);
      const otherReadings = await sameEntriesOf(definition, parts);
      if (decision.decision === 'revoke') {
        await store.change((records) =>
          [definition, ...otherReadings].reduce(
            (left, one) => withoutDecision(left, one, machine.projectRoot),
            records,
          ),
        );
        return;
      }
      if (state === 'blocked') throw blocked(definition);
      const verdict = decision.decision;
      const confirmTrust = (question: TrustQuestion): Promise<'allow' | 'deny'> => {
        requireSeen(question, decision);
        return Promise.resolve(verdict);
      };
      await askConsent(definition, state, {
        ...parts,
        approvals: loadApprovals(),
        confirmTrust,
        otherReadings,
      });
    },
  };
}

function requireSeen(
  question: TrustQuestion,
  { decision, digest, loaderVariables = [] }: TrustDecision,
): void {
  if (digest === undefined) throw new Refusal('request-invalid', 'digest: it is needed to allow or deny');
  if (digest !== question.digest) throw new Refusal('trust-outdated');
  if (decision !== 'allow') return;
  const missing = question.loaderVariables.filter((variable) => !loaderVariables.includes(variable));
  if (missing.length > 0)
    throw new Refusal(
      'request-invalid',
      `loaderVariables: ${missing.join(', ')} makes the program run other code and needs its own confirmation`,
    );
}

/** Returns the same entry of the same file as other agents read it. */
async function sameEntriesOf(
  definition: ServerDefinition,
  { loadRoster }: TrustDecisionsParts,
): Promise<readonly ServerDefinition[]> {
  const { candidates } = await loadRoster();
  const { name, origin } = definition;
  return candidates
    .map((candidate) => candidate.definition)
    .filter(
      (other) =>
        other.name === name &&
        other.origin.file === origin.file &&
        other.origin.agent !== origin.agent &&
        contentKey(other) === contentKey(definition),
    );
}

function nothingToDecide({ name }: ServerDefinition): HoltError<'config-not-ours'> {
  return new HoltError('config-not-ours', `"${name}" needs no approval: it is in a file of yours`, {
    file: '',
    server: name,
    reason: 'open',
  });
}

function blocked({ name }: ServerDefinition): HoltError<'trust-required'> {
  return new HoltError('trust-required', `"${name}" is forbidden by an administrator`, {
    server: name,
    reason: 'blocked',
  });
}
