/** `holt auth`, `holt logout` and `holt reauth`: log in to remote servers, and log out. */

import { notForPrograms } from '../auth/login-errors.ts';
import { findServer } from '../roster/copies.ts';
import { authJson, authLines, type AuthData } from './login/auth-lines.ts';
import { logIn } from './login/auth-login.ts';
import { type CommandContext, type CommandInput, defineCommand, oneName, usage, valueOf } from './command.ts';
import { worstExit } from './show/offers.ts';
import { withHost } from './with-host.ts';

const verbs = { login: 'login', logout: 'logout', status: 'status', list: 'list', ls: 'list' } as const;
type Verb = (typeof verbs)[keyof typeof verbs];

const loginOptions = {
  device: { type: 'flag', summary: 'log in on another device, with a code' },
  manual: { type: 'flag', summary: 'paste a token instead' },
  scope: { type: 'value', placeholder: 'S', summary: 'ask for these scopes, with spaces between' },
  'no-browser': { type: 'flag', summary: 'show the address and open nothing' },
} as const;

export const auth = defineCommand<AuthData>({
  name: 'auth',
  wrapsLines: true,
  aliases: ['login'],
  summary: 'Log in to a remote server, or list the stored logins',
  usage:
    'auth NAME [--device|--manual] [--scope S] [--no-browser] | auth list | auth status NAME | auth logout NAME',
  options: loginOptions,
  completes: 'servers',
  completesAfter: { login: 'servers', logout: 'servers', status: 'servers' },
  keepsRest: true,

  run(input, context) {
    const { verb, name } = readRequest(input);
    switch (verb) {
      case 'list':
      case 'status':
        return verb === 'status' && name !== undefined ? statusOf(name, context) : listLogins(name, context);
      case 'logout':
        return logOut(required(name, 'auth logout'), context);
      case 'login':
        return logIn(required(name, 'auth'), { ...readLogin(input), replace: 'ask' }, context);
    }
  },
  render: authLines,
  json: authJson,
  exitCode,
});

export const reauth = defineCommand<AuthData>({
  name: 'reauth',
  wrapsLines: true,
  summary: 'Forget a login and log in again',
  usage: 'reauth NAME [--device|--manual] [--scope S] [--no-browser]',
  options: loginOptions,
  completes: 'servers',
  run: (input, context) =>
    logIn(oneName(input, 'reauth'), { ...readLogin(input), replace: 'always' }, context),
  render: authLines,
  json: authJson,
  exitCode,
});

export const logout = defineCommand<AuthData>({
  name: 'logout',
  wrapsLines: true,
  aliases: ['unauth'],
  summary: 'Forget a login, and revoke it where the provider can',
  usage: 'logout NAME',
  options: {},
  completes: 'servers',
  run: (input, context) => logOut(oneName(input, 'logout'), context),
  render: authLines,
  json: authJson,
});

/**
 * Reads the verb and the name. `auth list` lists logins, as does `auth` alone; `auth -- list` logs in to a
 * server of that name.
 */
function readRequest({ positionals, rest = [], flags, values }: CommandInput): {
  readonly verb: Verb;
  readonly name?: string;
} {
  const [first = ''] = positionals;
  const verb = Object.entries(verbs).find(([word]) => word === first)?.[1];
  const isAlone = [...positionals, ...rest].length === 0;
  const asksLogin = Object.keys(loginOptions).some((option) => flags.has(option) || option in values);
  if (isAlone && !asksLogin) return { verb: 'list' };
  const [name, ...extra] = [...positionals.slice(verb === undefined ? 0 : 1), ...rest];
  if (extra.length > 0) throw usage('holt auth takes one name', 'Write holt auth NAME.', extra.join(' '));
  return { verb: verb ?? 'login', ...(name === undefined ? {} : { name }) };
}

function required(name: string | undefined, command: string): string {
  if (name !== undefined) return name;
  throw usage(`holt ${command} takes one name`, `Write holt ${command} NAME.`);
}

function readLogin(input: CommandInput): Pick<Parameters<typeof logIn>[1], 'flow' | 'scope' | 'browser'> {
  const { flags } = input;
  if (flags.has('device') && flags.has('manual'))
    throw usage('--device and --manual exclude each other', 'Choose one of them.', '--device --manual');
  const flow = flags.has('device') ? 'device' : flags.has('manual') ? 'manual' : undefined;
  return { flow, scope: valueOf(input, 'scope'), browser: !flags.has('no-browser') };
}

function listLogins(name: string | undefined, context: CommandContext): Promise<AuthData> {
  return withHost(context, async (host) => {
    const all = await host.logins();
    return { kind: 'list', logins: name === undefined ? all : all.filter(({ server }) => server === name) };
  });
}

function statusOf(name: string, context: CommandContext): Promise<AuthData> {
  return withHost(context, async (host) => {
    const state = await host.getAuthStatus(name);
    const login = (await host.logins()).find(({ server }) => server === name);
    if (login === undefined) await requireRemote(name, context);
    return { kind: 'status', server: name, state, login };
  });
}

function logOut(name: string, context: CommandContext): Promise<AuthData> {
  return withHost(context, async (host) => {
    const login = (await host.logins()).find(({ server }) => server === name);
    const outcome = await host.removeAuth(name);
    if (!outcome.removed) await requireRemote(name, context);
    return { kind: 'logout', server: name, ...outcome, login };
  });
}

/**
 * Throws for a name that is unknown or a stdio server. Not called if a login exists, because it may outlive
 * its server.
 */
async function requireRemote(name: string, context: CommandContext): Promise<void> {
  const { ref, definition } = findServer(await context.loadRoster(), name);
  if (definition.launch.kind === 'stdio') throw notForPrograms(ref);
}

function exitCode(data: AuthData): number {
  switch (data.kind) {
    case 'login':
      return worstExit([data.report]);
    case 'unchanged':
      return 1;
    case 'status':
      return data.state === 'authenticated' ? 0 : 3;
    case 'list':
    case 'logout':
      return 0;
  }
}
