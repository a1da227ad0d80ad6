/** `holt get NAME`: one definition, where it comes from, what it would run and what it hides. */

import { variablesIn } from '../dialects/mentions.ts';
import { HoltError } from '../kernel/errors.ts';
import { viewOf, type ServerDefinitionView } from '../kernel/definition-view.ts';
import type { AgentId } from '../kernel/agent-ids.ts';
import type { Origin } from '../kernel/servers.ts';
import { escapeLine } from '../masking/escape-text.ts';
import { connectText, maskDefinition } from '../masking/mask-secrets.ts';
import { findServer } from '../roster/find-server.ts';
import type { RosterEntry } from '../roster/rank.ts';
import { formatTable } from '../terminal/table.ts';
import { plainProjectField, type StartIn, type StartReason } from '../trust/start-folder.ts';
import { isAllowed, type TrustState } from '../trust/trust-state.ts';
import { defineCommand } from './command.ts';
import { expiryText } from './expiry-text.ts';
import { loginLookup, type StoredLogin } from './stored-logins.ts';

export interface GetData {
  readonly ref: string;
  readonly definition: ServerDefinitionView;
  readonly connect: string;
  /** Where a program starts, and why there. */
  readonly startIn: StartIn | undefined;
  /** Why it would not start there: the field that names a place in a folder that is not trusted. */
  readonly projectField: string | undefined;
  readonly trust: TrustState;
  /** What is stored to log in with; undefined for what has no login. */
  readonly login: StoredLogin | undefined;
  readonly shadows: readonly Origin[];
  readonly parts: readonly Origin[];
  /** Other agents that read the same file. */
  readonly readers: readonly AgentId[];
  /** Which variables it asks for, and whether they are set. Not told before it is allowed. */
  readonly variables: readonly { readonly name: string; readonly set: boolean | undefined }[];
}

export const get = defineCommand<GetData>({
  name: 'get',
  aliases: ['show'],
  summary: 'One server: where it comes from and what it would run',
  usage: 'get NAME',
  options: {},
  completes: 'servers',

  async run({ positionals }, context) {
    const [name, ...extra] = positionals;
    if (name === undefined || extra.length > 0) {
      throw new HoltError(
        'usage-invalid',
        'holt get takes one name',
        { given: positionals.join(' ') },
        { remedy: 'Write holt get NAME.' },
      );
    }
    const roster = await context.loadRoster();
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
      ...fieldPairs(definition),
      ...(data.startIn === undefined ? [] : [['starts in', startText(data.startIn, data)]]),
      ['enabled', definition.enabled ? 'yes' : 'no'],
      ['trust', trustText[data.trust]],
      ...(data.login === undefined ? [] : [['login', loginText(data.login)]]),
      ...data.variables.map(({ name, set }) => [
        'variable',
        `${name} (${set === undefined ? 'looked up once approved' : set ? 'set' : 'not set'})`,
      ]),
      ...places('from', data.parts),
      ...places('also in', definition.alsoIn),
      ...places('hides', data.shadows),
      ...(data.readers.length === 0 ? [] : [['read by', data.readers.join(', ')]]),
    ];
    return formatTable(pairs.map(([label, value]) => [style.bold(label ?? ''), escapeLine(value ?? '')]));
  },

  json: ({ ref, definition, connect, startIn, trust, login, shadows, parts, readers, variables }) => ({
    server: {
      ref,
      ...definition,
      connect,
      ...(startIn === undefined ? {} : { startIn }),
      trusted: isAllowed(trust),
      trust,
      ...(login === undefined ? {} : { login: login.state }),
      shadows,
      parts,
      readers,
      variables,
    },
  }),
});

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

function fieldPairs(definition: ServerDefinitionView): readonly (readonly string[])[] {
  const { command, args, env, url, headers, timeouts, tools } = definition;
  return [
    ...(command === undefined ? [] : [['command', command]]),
    ...(args ?? []).map((argument) => ['argument', argument]),
    ...Object.entries(env ?? {}).map(([key, value]) => ['env', `${key}=${value}`]),
    ...(url === undefined ? [] : [['url', url]]),
    ...Object.entries(headers ?? {}).map(([key, value]) => ['header', `${key}: ${value}`]),
    ...(Object.keys(timeouts).length === 0 ? [] : [['timeouts', JSON.stringify(timeouts)]]),
    ...(tools === undefined ? [] : [['tools', JSON.stringify(tools)]]),
  ];
}

function places(label: string, origins: readonly Origin[]): readonly (readonly string[])[] {
  return origins.map(({ agent, scope, file, line }) => [label, `${file}:${line} (${agent}, ${scope})`]);
}
