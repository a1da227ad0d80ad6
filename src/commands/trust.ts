/** `holt trust`: shows what a project wants to run, and approves or denies each entry. Runs nothing. */

import type { AgentId } from '../kernel/agent-ids.ts';
import type { Scope } from '../kernel/servers.ts';
import { escapeLine } from '../masking/escape-text.ts';
import { formatTable } from '../terminal/table.ts';
import { withoutDecision, type TrustRecord } from '../trust/trust-record.ts';
import { forgetFolder, projectFolder, saveFolderVerdict } from '../trust/folder-trust.ts';
import { type CommandContext, type CommandInput, defineCommand, usage, valueOf } from './command.ts';
import {
  type Candidate,
  guardedEntries,
  findAgain,
  selectAsked,
  unknownEntry,
  isCalled,
} from './entries/project-entries.ts';
import { uncertainty, storeGivenDigests, decideAll } from './asking/approve-entries.ts';

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
    const before = guardedEntries(await context.loadRoster());
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
    const now = findAgain(asked, guardedEntries(await context.reloadRoster()));
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
  const after = findAgain(found, guardedEntries(await context.reloadRoster()));
  return { entries: rowsOf(after, context), listing: true, refused: [], notes: [] };
}
