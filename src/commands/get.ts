/** `holt get NAME`: shows one definition, where it comes from, what it would run and what it hides. */

import { variablesIn } from '../dialects/mentions.ts';
import { viewOf, type ServerDefinitionView } from '../kernel/definition-view.ts';
import type { AgentId } from '../kernel/agent-ids.ts';
import { agentLabel } from '../agents/all-agents.ts';
import type { Origin, ServerDefinition, SwitchedOff } from '../kernel/servers.ts';
import { escapeLine } from '../masking/escape-text.ts';
import { connectText, maskDefinition } from '../masking/mask-secrets.ts';
import { copiesOf, disabledBy, isSamePlace, findServer } from '../roster/copies.ts';
import type { Roster } from '../roster/load-roster.ts';
import type { RosterEntry } from '../roster/rank.ts';
import { formatTable } from '../terminal/table.ts';
import { plainProjectField, type StartIn, type StartReason } from '../trust/start-folder.ts';
import { isAllowed, type TrustState } from '../trust/trust-state.ts';
import { warnOfFiles } from './diagnosis/host-warnings.ts';
import { defineCommand, oneName } from './command.ts';
import { definitionPairs } from './show/definition-pairs.ts';
import { expiryText } from './show/format.ts';
import { rejection } from './show/server-row.ts';
import { loginLookup, type StoredLogin } from './login/stored-logins.ts';

export interface GetData {
  readonly ref: string;
  readonly definition: ServerDefinitionView;
  readonly connect: string;
  /** Where a program starts, and why there. */
  readonly startIn: StartIn | undefined;
  /** The field that refers to the project, if the server cannot start because the folder is not trusted. */
  readonly projectField: string | undefined;
  readonly trust: TrustState;
  /** The stored login. Undefined for servers without one. */
  readonly login: StoredLogin | undefined;
  /** All copies of this name, including this one. */
  readonly copies: readonly CopyRow[];
  /** The copy that is shown. */
  readonly copy: CopyRow;
  readonly shadows: readonly Origin[];
  readonly parts: readonly Origin[];
  /** Other agents that read the same file. */
  readonly readers: readonly AgentId[];
  /** The variables that the definition uses, and whether they are set. Not looked up until it is approved. */
  readonly variables: readonly { readonly name: string; readonly set: boolean | undefined }[];
}

interface CopyRow {
  readonly ref: string;
  readonly origin: Origin;
  readonly enabled: boolean;
  readonly disabledBy: SwitchedOff | undefined;
  readonly rejectedIn?: AgentId;
  /** A different server of the same name, not the same one in another place. */
  readonly isHidden: boolean;
}

export const get = defineCommand<GetData>({
  name: 'get',
  wrapsLines: true,
  aliases: ['show'],
  summary: 'One server: where it comes from and what it would run',
  usage: 'get NAME[@AGENT[:SCOPE]]',
  options: {},
  completes: 'servers',

  async run(input, context) {
    const name = oneName(input, 'get');
    const roster = await context.loadRoster();
    warnOfFiles(roster.problems, context.warn);
    const entry = findServer(roster, name);
    const source = roster.sources.find(
      ({ file, agent }) => file === entry.definition.origin.file && agent === entry.definition.origin.agent,
    );
    const startIn = roster.startOf(entry.definition);
    const { credentialStore } = roster.settings.settings;
    const loginOf = await loginLookup(context, credentialStore, [entry.definition]);
    return {
      ref: entry.ref,
      definition: viewOf(maskDefinition(entry.definition)),
      connect: connectText(entry.definition),
      startIn,
      projectField: plainProjectField(entry.definition, startIn, context.machine),
      trust: entry.trust,
      login: loginOf(entry.definition),
      copies: copyRows(entry, roster),
      copy: copyRow(entry.ref, entry.definition, false),
      shadows: entry.shadows,
      parts: entry.definition.parts,
      readers: source?.readers ?? [],
      variables: describeVariables(entry, context.machine.env),
    };
  },

  render(data, style) {
    const { definition } = data;
    const pairs = [
      ['name', data.ref],
      ['transport', definition.transport],
      ...definitionPairs(definition),
      ...(data.startIn === undefined ? [] : [['starts in', startText(data.startIn, data)]]),
      ['enabled', definition.enabled ? 'yes' : `no: ${offText(data.copy)}`],
      ['trust', trustText[data.trust]],
      ...(data.login === undefined ? [] : [['login', loginText(data.login)]]),
      ...data.variables.map(({ name, set }) => [
        'variable',
        `${name} (${set === undefined ? 'looked up once approved' : set ? 'set' : 'not set'})`,
      ]),
      ...places('from', data.parts),
      ...copyPairs(data),
      ...(data.readers.length === 0 ? [] : [['read by', data.readers.join(', ')]]),
    ];
    return formatTable(
      pairs.map(([label, value]) => [style.bold(label ?? ''), escapeLine(value ?? '')]),
      style.columns,
    );
  },

  json: ({
    ref,
    definition,
    connect,
    startIn,
    trust,
    login,
    copies,
    shadows,
    parts,
    readers,
    variables,
  }) => ({
    server: {
      ref,
      ...definition,
      connect,
      ...(startIn === undefined ? {} : { startIn }),
      trusted: isAllowed(trust),
      trust,
      ...(login === undefined ? {} : { login: login.state }),
      copies: copies.map(copyJson),
      shadows,
      parts,
      readers,
      variables,
    },
  }),
});

/** Includes `entry` itself if it is from a file. */
function copyRows(entry: RosterEntry, roster: Roster): readonly CopyRow[] {
  const same = [entry.definition.origin, ...entry.definition.alsoIn];
  return copiesOf(roster, entry.definition.name).map(({ ref, definition }) => {
    const isSame = same.some((origin) => isSamePlace(origin, definition.origin));
    return copyRow(ref, definition, !isSame && entry.ref === entry.definition.name);
  });
}

function copyRow(ref: string, definition: ServerDefinition, isHidden: boolean): CopyRow {
  const { origin, enabled } = definition;
  return { ref, origin, enabled, disabledBy: disabledBy(definition), ...rejection(definition), isHidden };
}

function copyJson({ ref, origin, enabled, disabledBy: cause, rejectedIn }: CopyRow): object {
  const { agent, scope, file, line } = origin;
  return {
    ref,
    agent,
    scope,
    file,
    line,
    enabled,
    ...(cause === undefined ? {} : { disabledBy: { kind: cause.kind, file: cause.file, line: cause.line } }),
    ...(rejectedIn === undefined ? {} : { rejectedIn }),
  };
}

/** One line per copy if there are several. */
function copyPairs(data: GetData): readonly (readonly string[])[] {
  if (data.copies.length < 2) return [];
  return data.copies.map((row) => {
    const { ref, origin, enabled, isHidden } = row;
    const where = `${origin.file}:${origin.line} (${origin.agent}, ${origin.scope})`;
    const isJoined = data.definition.alsoIn.some((also) => isSamePlace(also, origin));
    const label = isHidden ? 'hides' : isJoined ? 'also in' : 'copy';
    return [label, `${ref}  ${where}, ${enabled ? 'on' : `off: ${offText(row)}`}`];
  });
}

/** Why a copy is disabled, with its location. */
function offText({ disabledBy: cause, rejectedIn }: CopyRow): string {
  if (cause === undefined) return 'switched off in this session';
  const place = `${cause.file}:${cause.line}`;
  if (rejectedIn !== undefined) return `rejected in ${agentLabel(rejectedIn)}, ${place}`;
  if (cause.kind === 'override') return `holt's override, ${place}`;
  if (cause.kind === 'entry') return `its entry, ${place}`;
  return `${cause.agent === undefined ? 'a list' : agentLabel(cause.agent)} switches it off, ${place}`;
}

const trustText: Readonly<Record<TrustState, string>> = {
  open: 'allowed: it is in a file of yours',
  approved: 'approved',
  untrusted: 'not approved: it does not run',
  changed: 'changed since it was approved: it does not run',
  denied: 'denied: it does not run',
  blocked: 'forbidden by an administrator: it does not run',
};

function startText({ folder, why }: StartIn, { definition, projectField }: GetData): string {
  if (projectField !== undefined)
    return `nowhere: this folder is not trusted, and its ${projectField} names a place in the project; holt trust --folder changes that`;
  const isGiven = why !== 'cwd' || definition.cwd !== undefined;
  return `${folder} (${isGiven ? startReasons[why] : 'the project it is defined for'})`;
}

const startReasons: Readonly<Record<StartReason, string>> = {
  trusted: 'this folder is trusted',
  untrusted: 'your home folder, because this folder is not trusted; holt trust --folder changes that',
  cwd: 'its cwd says so',
  setting: 'its startIn says so',
  agent: 'the agent that uses holt is trusted with this folder',
};

function loginText({ state, expiresAt, reason = '' }: StoredLogin): string {
  if (state === 'unknown') return `unknown: ${reason}`;
  if (state === 'not_authenticated') return 'none is stored';
  const when = expiresAt === undefined ? '' : ` (${expiryText(expiresAt)})`;
  return `${state}${when}`;
}

function describeVariables(
  { definition, trust }: RosterEntry,
  env: Readonly<Record<string, string | undefined>>,
): GetData['variables'] {
  const names = [...new Set(variablesIn(definition).map(({ name }) => name))].toSorted();
  return names.map((name) => ({ name, set: isAllowed(trust) ? env[name] !== undefined : undefined }));
}

function places(label: string, origins: readonly Origin[]): readonly (readonly string[])[] {
  return origins.map(({ agent, scope, file, line }) => [label, `${file}:${line} (${agent}, ${scope})`]);
}
