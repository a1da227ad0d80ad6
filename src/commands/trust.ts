/** `holt trust`: shows what a project wants to run, and approves or denies each entry. Runs nothing. */

import { HoltError } from '../kernel/errors.ts';
import type { AgentId } from '../kernel/agent-ids.ts';
import type { ConfirmTrust } from '../kernel/interaction.ts';
import { nearest } from '../kernel/nearest.ts';
import { nameWord } from '../kernel/shell-words.ts';
import type { Scope, ServerDefinition } from '../kernel/servers.ts';
import { escapeLine } from '../masking/escape-text.ts';
import type { Roster } from '../roster/load-roster.ts';
import { contentKey } from '../roster/same-server.ts';
import { formatTable } from '../terminal/table.ts';
import { decisionRecord, withDecision, withoutDecision, type TrustRecord } from '../trust/trust-record.ts';
import { forgetFolder, projectFolder, saveFolderVerdict } from '../trust/folder-trust.ts';
import { askConsent } from '../trust/trust-gate.ts';
import type { TrustState } from '../trust/trust-state.ts';
import { type CommandContext, type CommandInput, defineCommand, usage, valueOf } from './command.ts';

interface TrustRow {
  readonly name: string;
  readonly agent: AgentId;
  readonly scope: Scope;
  readonly file: string;
  readonly state: 'approved' | 'untrusted' | 'changed' | 'denied';
  readonly digest: string;
}

export interface TrustData {
  readonly entries: readonly TrustRow[];
  readonly listing: boolean;
  /** Entries that the user asked about and that may still not run. */
  readonly refused: readonly string[];
  /** Entries that cannot be approved, and why. */
  readonly notes: readonly string[];
  /** The user could be asked, so the entry was refused. */
  readonly hasAsked?: boolean;
  /** Set if the folder is shown or was decided on. */
  readonly folder?: FolderData;
}

interface FolderData {
  readonly path: string;
  readonly trusted: boolean;
}

interface Candidate {
  readonly definition: ServerDefinition;
  readonly trust: TrustState;
}

export const trust = defineCommand<TrustData>({
  name: 'trust',
  wrapsLines: true,
  aliases: ['approve'],
  summary: 'Look at what a project wants to run, and approve or deny it',
  usage: 'trust [NAME…] [--all] [--folder] [--list] [--revoke NAME|--revoke --folder]',
  options: {
    folder: { type: 'flag', summary: 'trust this folder: your own servers start in it' },
    all: { type: 'flag', summary: 'ask about every entry that waits for approval' },
    list: { type: 'flag', summary: 'only show what is approved and what waits for approval' },
    revoke: {
      type: 'value',
      placeholder: 'NAME',
      valueOptional: true,
      summary: 'remove an approval or a denial; with --folder, the decision about this folder',
      completes: 'servers',
    },
  },
  completes: 'servers',

  async run(input, context) {
    const before = guardedOf(await context.loadRoster());
    const revoked = valueOf(input, 'revoke');
    if (input.flags.has('folder')) return decideFolder(input, context);
    if (revoked !== undefined) return revoke(before, revoked, context);
    if (input.flags.has('revoke'))
      throw usage(
        '--revoke needs a name',
        'Write holt trust --revoke NAME, or holt trust --revoke --folder.',
      );
    if (input.flags.has('list'))
      return {
        entries: rowsOf(before, context),
        listing: true,
        refused: [],
        notes: [],
        folder: folderData(context),
      };
    const asked = selectAsked(before, input);
    const notes = [
      ...asked.flatMap(({ definition }) => uncertainty(definition, context)),
      ...(await storeGivenDigests(asked, input, context)),
    ];
    await decideAll(asked, context);
    const now = again(asked, guardedOf(await context.reloadRoster()));
    const byName = input.positionals.length > 0 || input.flags.has('all');
    const refused = byName ? now.filter(({ trust: state }) => state !== 'approved') : [];
    return {
      entries: rowsOf(now, context),
      listing: false,
      refused: refused.map(({ definition }) => definition.name),
      notes,
      hasAsked: context.interaction.confirmTrust !== undefined,
    };
  },

  render({ entries, listing, refused, notes, hasAsked = false, folder }, style) {
    const about = folder === undefined ? [] : [folderText(folder)];
    if (entries.length === 0 && !listing && folder !== undefined) return about;
    if (entries.length === 0)
      return [listing ? 'No project entries here.' : 'Nothing here waits for approval.', ...about];
    const table = formatTable(
      [
        ['NAME', 'STATE', 'AGENT', 'FILE'],
        ...entries.map(({ name, state, agent, file }) => [escapeLine(name), state, agent, escapeLine(file)]),
      ],
      style.columns,
      ['', ...entries.map(({ digest }) => digest)],
    );
    const lines = [...table, ...notes.map(escapeLine), ...about];
    if (refused.length === 0) return lines;
    return [
      ...lines,
      '',
      `Not approved: ${refused.map(escapeLine).join(', ')}.${hasAsked ? '' : ' Approving needs a terminal, or --trust-digest with the digest below the name.'}`,
    ];
  },

  json: ({ entries, folder }) => ({ entries, ...(folder === undefined ? {} : { folder }) }),
  exitCode: ({ refused }) => (refused.length > 0 ? 4 : 0),
});

/** Stores or removes the user's decision about the folder. Approves no entry of the project. */
async function decideFolder(input: CommandInput, context: CommandContext): Promise<TrustData> {
  const { machine, trustStore: store, now } = context;
  if (input.positionals.length > 0 || valueOf(input, 'revoke') !== undefined)
    throw usage(
      '--folder is about the folder itself and takes no name',
      'Approve an entry with holt trust NAME.',
    );
  if (!machine.hasProject)
    throw usage(
      'This is your home folder, which needs no trust',
      'Run holt trust --folder in the folder of a project, or name it with --cwd DIR.',
    );
  if (input.flags.has('revoke')) await forgetFolder({ machine, store });
  else await saveFolderVerdict('trusted', { machine, store, now });
  await context.reloadRoster();
  return { entries: [], listing: false, refused: [], notes: [], folder: folderData(context) };
}

function folderData(context: CommandContext): FolderData {
  return {
    path: projectFolder(context.machine),
    trusted: context.approvals().folderTrust() === 'trusted',
  };
}

function folderText({ path, trusted }: FolderData): string {
  const folder = escapeLine(path);
  return trusted
    ? `${folder} is trusted: your own servers start in it. holt trust --revoke --folder takes this back.`
    : `${folder} is not trusted: your own servers start in your home folder. holt trust --folder changes this.`;
}

function guardedOf(roster: Roster): readonly Candidate[] {
  return roster.candidates.filter(({ definition, trust: state }) => definition.guarded && state !== 'open');
}

/** Identifies an entry without its line, which may change while the user reads. */
function identityOf({ name, origin }: ServerDefinition): string {
  return JSON.stringify([name, origin.agent, origin.scope, origin.file]);
}

/** Finds the same entries in a newer list. */
function again(chosen: readonly Candidate[], now: readonly Candidate[]): readonly Candidate[] {
  const identities = new Set(chosen.map(({ definition }) => identityOf(definition)));
  return now.filter(({ definition }) => identities.has(identityOf(definition)));
}

function rowsOf(candidates: readonly Candidate[], context: CommandContext): readonly TrustRow[] {
  return candidates.flatMap(({ definition, trust: state }) => {
    if (state === 'open') return [];
    const { agent, scope, file } = definition.origin;
    const { digest } = context.approvals().fingerprintOf(definition);
    // Denied by the user or by an administrator.
    return [
      { name: definition.name, agent, scope, file, state: state === 'blocked' ? 'denied' : state, digest },
    ];
  });
}

/** Selects entries by name, `name@agent` or `name@agent:scope`. Without names, all that need a decision. */
function selectAsked(candidates: readonly Candidate[], { positionals }: CommandInput): readonly Candidate[] {
  if (positionals.length === 0)
    return candidates.filter(({ trust: state }) => state === 'untrusted' || state === 'changed');
  return positionals.flatMap((wanted) => {
    const found = candidates.filter(({ definition }) => isCalled(definition.name, definition.origin, wanted));
    if (found.length === 0) throw unknownEntry(wanted, candidates);
    return found;
  });
}

function unknownEntry(wanted: string, candidates: readonly Candidate[]): HoltError<'server-not-found'> {
  const known = [...new Set(candidates.map(({ definition }) => definition.name))];
  const near = nearest(wanted, known);
  const there = known.length === 0 ? 'There is nothing to approve here.' : `There are: ${known.join(', ')}.`;
  return new HoltError(
    'server-not-found',
    `No project entry is called "${wanted}"`,
    { server: wanted, known },
    {
      remedy: near === undefined ? there : `Did you mean "${near}"?`,
    },
  );
}

function isCalled(
  name: string,
  { agent, scope }: { readonly agent: string; readonly scope?: string },
  wanted: string,
): boolean {
  return wanted === name || wanted === `${name}@${agent}` || wanted === `${name}@${agent}:${scope ?? ''}`;
}

function uncertainty(definition: ServerDefinition, context: CommandContext): readonly string[] {
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
async function storeGivenDigests(
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
async function decideAll(asked: readonly Candidate[], context: CommandContext): Promise<void> {
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

/** Revokes decisions, including those about entries that no longer exist. */
async function revoke(
  candidates: readonly Candidate[],
  name: string,
  context: CommandContext,
): Promise<TrustData> {
  const { projectRoot } = context.machine;
  const found = candidates.filter(({ definition }) => isCalled(definition.name, definition.origin, name));
  const isMeant = (record: TrustRecord): boolean =>
    record.project === projectRoot && isCalled(record.name, record, name);
  if (found.length === 0 && !context.trustStore.load().some(isMeant)) throw unknownEntry(name, candidates);
  await context.trustStore.change((records) => {
    const others = records.filter((record) => !isMeant(record));
    return found.reduce<readonly TrustRecord[]>(
      (left, { definition }) => withoutDecision(left, definition, projectRoot),
      others,
    );
  });
  const after = again(found, guardedOf(await context.reloadRoster()));
  return { entries: rowsOf(after, context), listing: true, refused: [], notes: [] };
}
