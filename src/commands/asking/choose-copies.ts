/**
 * Chooses which copies of a server a command changes. Never another agent's entry, unless the user named it.
 */

import {
  ambiguous,
  serverNotFound,
  copiesByRef,
  copiesIn,
  copiesOf,
  isSameEntry,
  type CopyFilter,
  type ServerCopy,
} from '../../roster/copies.ts';
import { HoltError } from '../../kernel/errors.ts';
import { nameWord } from '../../kernel/shell-words.ts';
import { escapeLine } from '../../masking/escape-text.ts';
import type { RankedServers } from '../../roster/rank.ts';
import { readableAgent, readableScope } from '../entries/add-options.ts';
import {
  type CommandContext,
  type CommandInput,
  oneName,
  type OptionSpec,
  usage,
  valueOf,
} from '../command.ts';

export const copyOptions = {
  agent: {
    type: 'value',
    short: 'a',
    placeholder: 'AGENT',
    summary: 'the copy in this agent’s files',
    completes: 'agents',
  },
  scope: {
    type: 'value',
    short: 's',
    placeholder: 'SCOPE',
    summary: 'the copy of this scope',
    completes: 'scopes',
  },
  everywhere: { type: 'flag', summary: 'every copy, in all files' },
} as const satisfies Readonly<Record<string, OptionSpec>>;

export interface ChosenCopies {
  /** At least one. */
  readonly copies: readonly [ServerCopy, ...ServerCopy[]];
  /** Copies of the same name that stay unchanged. */
  readonly others: readonly ServerCopy[];
  /** The agent that the user named. It may be one that reads a shared file. */
  readonly agent: CopyFilter['agent'];
}

/**
 * Chooses copies, and asks at a terminal if several match. Throws `server-ambiguous` without a terminal,
 * `server-not-found` and `usage-invalid`.
 */
export async function chooseCopies(
  input: CommandInput,
  command: string,
  context: CommandContext,
): Promise<ChosenCopies> {
  const wanted = oneName(input, command);
  const filter = filterOf(input);
  const roster = await context.loadRoster();
  const { pool, all, isRef } = findCopies(roster, wanted);
  if (isRef && input.flags.has('everywhere'))
    throw usage(
      `--everywhere means every copy, and "${wanted}" names one`,
      `Write holt ${command} ${nameWord(all[0]?.definition.name ?? wanted)} --everywhere, or leave --everywhere out.`,
    );
  const left = copiesIn(pool, filter).filter(
    (copy, index, copies) => copies.findIndex((one) => isSameEntry(one, copy)) === index,
  );
  if (left.length === 0) throw noSuchCopy(wanted, filter, pool);
  const isNarrowed = isRef || filter.agent !== undefined || filter.scope !== undefined;
  const chosen = input.flags.has('everywhere')
    ? left
    : await oneOf(left, { wanted, command, isNarrowed }, context);
  const [first, ...more] = chosen;
  if (first === undefined) throw serverNotFound(wanted, roster);
  return {
    copies: [first, ...more],
    others: all.filter((copy) => !chosen.some((one) => isSameEntry(one, copy))),
    agent: filter.agent,
  };
}

function filterOf(input: CommandInput): CopyFilter {
  const [agent, scope] = [valueOf(input, 'agent'), valueOf(input, 'scope')];
  if (input.flags.has('everywhere') && (agent !== undefined || scope !== undefined))
    throw usage(
      '--everywhere means every copy, so it goes with neither --agent nor --scope',
      'Leave one out.',
    );
  return {
    agent: agent === undefined ? undefined : readableAgent(agent),
    scope: scope === undefined ? undefined : readableScope(scope),
  };
}

interface Found {
  readonly pool: readonly ServerCopy[];
  /** Every copy of the name. */
  readonly all: readonly ServerCopy[];
  /** The user named them with an `@` reference. */
  readonly isRef: boolean;
}

/** Looks for a literal name first, because it may contain an `@`. */
function findCopies(roster: RankedServers, wanted: string): Found {
  const literal = copiesOf(roster, wanted);
  if (literal.length > 0) return { pool: literal, all: literal, isRef: false };
  const pool = copiesByRef(roster, wanted);
  const [first] = pool;
  if (first === undefined) throw serverNotFound(wanted, roster);
  const all = copiesOf(roster, first.definition.name);
  return { pool: all.filter(({ ref }) => pool.some((copy) => copy.ref === ref)), all, isRef: true };
}

function noSuchCopy(wanted: string, { agent, scope }: CopyFilter, pool: readonly ServerCopy[]): HoltError {
  const where = [
    agent === undefined ? '' : ` of ${agent}`,
    scope === undefined ? '' : ` in the ${scope} scope`,
  ];
  return new HoltError(
    'server-not-found',
    `"${wanted}" has no copy${where.join('')}`,
    { server: wanted, known: pool.map(({ ref }) => ref) },
    { remedy: `It has ${pool.map(({ ref }) => ref).join(', ')}.` },
  );
}

interface Question {
  readonly wanted: string;
  readonly command: string;
  /** The user gave an agent or a scope. */
  readonly isNarrowed: boolean;
}

async function oneOf(
  copies: readonly ServerCopy[],
  { wanted, command, isNarrowed }: Question,
  context: CommandContext,
): Promise<readonly ServerCopy[]> {
  if (copies.length === 1) return copies;
  const own = copies.filter(({ definition }) => definition.origin.agent === 'holt');
  if (own.length === 1 && !isNarrowed) return own;
  const { ask } = context;
  if (ask === undefined) throw severalCopies(wanted, command, copies);
  context.print([
    `There are ${copies.length} copies of "${escapeLine(wanted)}":`,
    ...copies.map((copy, index) => `  ${index + 1}  ${escapeLine(describeCopy(copy))}`),
  ]);
  const answer = ((await ask(`Which one? [1-${copies.length}, or "all"; Enter for none]: `)) ?? '').trim();
  if (answer.toLowerCase() === 'all') return copies;
  const picked = copies.filter(({ ref }, index) => answer === ref || answer === String(index + 1));
  if (picked.length === 0)
    throw usage('Nothing was changed', `Name one: holt ${command} ${nameWord(copies[0]?.ref ?? wanted)}`);
  return picked;
}

/** Formats the reference, file and state of a copy on one line. */
export function describeCopy({ ref, definition: { origin, enabled } }: ServerCopy): string {
  return `${ref}  ${origin.file}:${origin.line} (${enabled ? 'on' : 'off'})`;
}

function severalCopies(wanted: string, command: string, copies: readonly ServerCopy[]): HoltError {
  const { details } = ambiguous(
    wanted,
    copies.map(({ ref }) => ref),
  );
  const list = copies.map(describeCopy).join('\n  ');
  return new HoltError(
    'server-ambiguous',
    `There are ${copies.length} copies of "${wanted}", and nothing says which one is meant:\n  ${list}`,
    details,
    {
      remedy: `Name one, for example holt ${command} ${nameWord(copies[0]?.ref ?? wanted)}, or use --agent, --scope or --everywhere.`,
    },
  );
}
