/** Approves entries of a project by their digests, or asks about each of them. */

import type { ConfirmTrust } from '../../kernel/interaction.ts';
import { nameWord } from '../../kernel/shell-words.ts';
import type { ServerDefinition } from '../../kernel/servers.ts';
import { contentKey } from '../../roster/same-server.ts';
import { decisionRecord, withDecision } from '../../trust/trust-record.ts';
import { askConsent } from '../../trust/trust-gate.ts';
import type { CommandContext, CommandInput } from '../command.ts';
import type { Candidate } from '../entries/project-entries.ts';

export function uncertainty(definition: ServerDefinition, context: CommandContext): readonly string[] {
  const { uncertain = [] } = context.approvals().fingerprintOf(definition);
  return uncertain.map((file) => `${definition.name} cannot be approved: ${file} cannot be read completely`);
}

/** Groups entries that several agents read from the same place, so that they are one question. */
function sameEntries(candidates: readonly Candidate[]): readonly (readonly Candidate[])[] {
  const groups = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const { name, origin } = candidate.definition;
    const key = JSON.stringify([origin.file, name, contentKey(candidate.definition)]);
    groups.set(key, [...(groups.get(key) ?? []), candidate]);
  }
  return [...groups.values()];
}

/**
 * Approves named entries whose digest was given. The digest proves that the user reviewed exactly this entry,
 * so nothing is asked.
 */
export async function storeGivenDigests(
  asked: readonly Candidate[],
  input: CommandInput,
  context: CommandContext,
): Promise<readonly string[]> {
  const given = new Set(input.positionals.length === 0 ? [] : input.values['trust-digest']);
  const parts = { machine: context.machine, approvals: context.approvals(), now: context.now };
  const meant = asked.filter(({ definition, trust: state }) => {
    const { digest, uncertain } = parts.approvals.fingerprintOf(definition);
    return state !== 'blocked' && uncertain === undefined && given.has(digest);
  });
  if (meant.length === 0) return [];
  const records = meant.map(({ definition }) => decisionRecord(definition, 'approved', parts));
  await context.trustStore.change((all) => records.reduce(withDecision, all));
  const names = [...new Set(meant.map(({ definition }) => definition.name))];
  return names.map(
    (name) => `The approval of ${name} is stored. holt trust --revoke ${nameWord(name)} takes it back.`,
  );
}

/** Asks about each entry, including named ones that were denied before. Asks nothing without a terminal. */
export async function decideAll(asked: readonly Candidate[], context: CommandContext): Promise<void> {
  const { confirmTrust } = context.interaction;
  if (confirmTrust === undefined) return;
  const open = asked.filter(
    ({ definition, trust: state }) =>
      state !== 'approved' && state !== 'blocked' && uncertainty(definition, context).length === 0,
  );
  const groups = sameEntries(open);
  for (const [index, group] of groups.entries()) {
    const place = { at: index + 1, of: groups.length };
    await decideTogether(group, context, (question) =>
      confirmTrust(groups.length > 1 ? { ...question, place } : question),
    );
  }
}

async function decideTogether(
  [first, ...others]: readonly Candidate[],
  context: CommandContext,
  confirmTrust: ConfirmTrust,
): Promise<void> {
  if (first === undefined) return;
  const { machine, trustStore: store, resolveProgram, now } = context;
  await askConsent(first.definition, first.trust, {
    machine,
    files: context.editing.files,
    approvals: context.approvals(),
    store,
    confirmTrust,
    resolveProgram,
    now,
    otherReadings: others.map(({ definition }) => definition),
  });
}
