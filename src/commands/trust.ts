/** `holt trust`: look at what a project wants to run, and say yes or no to each entry. Runs nothing. */

import { HoltError } from '../kernel/errors.ts';
import type { AgentId } from '../kernel/agent-ids.ts';
import type { Scope, ServerDefinition } from '../kernel/servers.ts';
import { escapeLine } from '../masking/escape-text.ts';
import type { Roster } from '../roster/load-roster.ts';
import { formatTable } from '../terminal/table.ts';
import { describeForConsent } from '../trust/consent-question.ts';
import { decisionRecord, withDecision, withoutDecision } from '../trust/decide.ts';
import type { TrustState } from '../trust/trust-state.ts';
import { defineCommand, valueOf, type CommandContext, type CommandInput } from './command.ts';

interface TrustRow {
  readonly name: string;
  readonly agent: AgentId;
  readonly scope: Scope;
  readonly file: string;
  readonly state: Exclude<TrustState, 'open'>;
  readonly digest: string;
}

export interface TrustData {
  readonly entries: readonly TrustRow[];
  readonly listing: boolean;
  /** Names that were asked for and may still not run. */
  readonly refused: readonly string[];
}

interface Candidate {
  readonly definition: ServerDefinition;
  readonly trust: TrustState;
}

export const trust = defineCommand<TrustData>({
  name: 'trust',
  summary: 'Look at what a project wants to run, and approve or deny it',
  usage: 'trust [NAME…] [--all] [--list] [--revoke NAME]',
  options: {
    all: { type: 'flag', summary: 'go through every entry that waits' },
    list: { type: 'flag', summary: 'only show what is approved and what waits' },
    revoke: { type: 'value', placeholder: 'NAME', summary: 'take an approval or a denial back', completes: 'servers' },
  },
  completes: 'servers',

  async run(input, context) {
    const before = guardedOf(await context.loadRoster());
    const revoked = valueOf(input, 'revoke');
    if (revoked !== undefined) return revoke(before, revoked, context);
    if (input.flags.has('list')) return { entries: rowsOf(before, context), listing: true, refused: [] };
    const asked = selectAsked(before, input);
    for (const { definition, trust: state } of asked) {
      if (state === 'untrusted' || state === 'changed') await decideOne(definition, state, context);
    }
    const after = guardedOf(await context.reloadRoster());
    const chosen = new Set(asked.map(({ definition }) => identityOf(definition)));
    const now = after.filter(({ definition }) => chosen.has(identityOf(definition)));
    const refused = input.positionals.length === 0 && !input.flags.has('all') ? [] : now.filter(({ trust: state }) => state !== 'approved');
    return { entries: rowsOf(now, context), listing: false, refused: refused.map(({ definition }) => definition.name) };
  },

  render({ entries, listing, refused }) {
    if (entries.length === 0) return [listing ? 'No project entries here.' : 'Nothing here waits for approval.'];
    const table = formatTable([
      ['NAME', 'STATE', 'AGENT', 'FILE', 'DIGEST'],
      ...entries.map(({ name, state, agent, file, digest }) => [escapeLine(name), state, agent, escapeLine(file), digest]),
    ]);
    if (refused.length === 0) return table;
    return [...table, '', `Not approved: ${refused.map(escapeLine).join(', ')}. Approving needs a terminal, or --trust-digest with the digest above.`];
  },

  json: ({ entries }) => ({ entries }),
  exitCode: ({ refused }) => (refused.length > 0 ? 4 : 0),
});

function guardedOf(roster: Roster): readonly Candidate[] {
  return roster.candidates.filter(({ definition, trust: state }) => definition.guarded && state !== 'open');
}

function identityOf({ name, origin }: ServerDefinition): string {
  return JSON.stringify([name, origin.agent, origin.file, origin.line, origin.column]);
}

function rowsOf(candidates: readonly Candidate[], context: CommandContext): readonly TrustRow[] {
  return candidates.flatMap(({ definition, trust: state }) => {
    if (state === 'open') return [];
    const { agent, scope, file } = definition.origin;
    return [{ name: definition.name, agent, scope, file, state, digest: context.approvals().fingerprintOf(definition).digest }];
  });
}

/** By name, `name@agent` or `name@agent:scope`; everything that waits when nothing is named. */
function selectAsked(candidates: readonly Candidate[], { positionals }: CommandInput): readonly Candidate[] {
  if (positionals.length === 0) return candidates.filter(({ trust: state }) => state === 'untrusted' || state === 'changed');
  return positionals.flatMap((wanted) => {
    const found = candidates.filter(({ definition }) => isCalled(definition, wanted));
    if (found.length > 0) return found;
    const known = candidates.map(({ definition }) => definition.name);
    throw new HoltError('server-not-found', `No project entry is called "${wanted}"`, { server: wanted, known }, {
      remedy: known.length === 0 ? 'There is nothing to approve here.' : `There are: ${[...new Set(known)].join(', ')}.`,
    });
  });
}

function isCalled({ name, origin }: ServerDefinition, wanted: string): boolean {
  return wanted === name || wanted === `${name}@${origin.agent}` || wanted === `${name}@${origin.agent}:${origin.scope}`;
}

async function decideOne(definition: ServerDefinition, state: TrustState, context: CommandContext): Promise<void> {
  const { confirmTrust } = context.interaction;
  if (confirmTrust === undefined) return;
  const parts = { machine: context.machine, approvals: context.approvals(), records: context.trustStore.load(), resolveProgram: context.resolveProgram };
  const answer = await confirmTrust(describeForConsent(definition, state, parts));
  if (answer === 'undecided') return;
  const record = decisionRecord(definition, answer === 'allow' ? 'approved' : 'denied', { ...parts, now: context.now });
  await context.trustStore.change((records) => withDecision(records, record));
}

async function revoke(candidates: readonly Candidate[], name: string, context: CommandContext): Promise<TrustData> {
  const found = selectAsked(candidates, { positionals: [name], flags: new Set(), values: {}, rest: undefined });
  await context.trustStore.change((records) =>
    found.reduce((left, { definition }) => withoutDecision(left, definition, context.machine.projectRoot), records),
  );
  const chosen = new Set(found.map(({ definition }) => identityOf(definition)));
  const after = guardedOf(await context.reloadRoster()).filter(({ definition }) => chosen.has(identityOf(definition)));
  return { entries: rowsOf(after, context), listing: true, refused: [] };
}
