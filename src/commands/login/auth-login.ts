/**
 * Runs one login from the command line: asks before it replaces one, restores the old one if the new one
 * fails, and reports the result.
 */

import type { Host, LoginFlow } from '../../host/host.ts';
import type { CredentialRecord, CredentialStore } from '../../kernel/credentials.ts';
import { HoltError } from '../../kernel/errors.ts';
import { nameWord } from '../../kernel/shell-words.ts';
import { escapeLine } from '../../masking/escape-text.ts';
import { type CommandContext, isYes, usage } from '../command.ts';
import { withHost } from '../with-host.ts';
import type { AuthData } from './auth-lines.ts';

export interface LoginRequest {
  readonly flow: LoginFlow | undefined;
  readonly scope: string | undefined;
  readonly browser: boolean;
  /** What to do with an existing login. */
  readonly replace: 'ask' | 'always';
}

export function logIn(name: string, request: LoginRequest, context: CommandContext): Promise<AuthData> {
  return withHost(withoutReminder(context, name), async (host, signal) => {
    let restore: (() => Promise<void>) | undefined;
    try {
      // If the definition has its own header, drop no login and ask nothing: the host explains why.
      if (!hasOwnHeader(host, name)) {
        if (request.replace === 'always')
          restore = await removeTokens(host, name, context.editing.credentials);
        else if (!(await mayLogIn(host, name, context))) return { kind: 'unchanged', server: name };
      }
      const { flow = plainFlow(host, name, request), scope, browser } = request;
      const status = await host.authenticate(name, { flow, scope, browser, signal });
      const login = (await host.logins()).find(({ server }) => server === name);
      return {
        kind: 'login',
        server: name,
        login,
        report: host.report()[name] ?? { status, ms: 0, phases: {} },
      };
    } catch (error) {
      await restore?.();
      if (!signal.aborted) throw outOfReach(error, host, name);
      throw new HoltError(
        'interrupted',
        'Interrupted. Nothing was stored.',
        { signal: 'SIGINT' },
        { cause: error, remedy: `holt auth ${nameWord(name)} starts it again.` },
      );
    }
  });
}

/** With `--no-browser` the user wants the URL, unless the definition names another flow. */
function plainFlow(host: Host, name: string, { browser }: LoginRequest): LoginFlow | undefined {
  const oauth = host.definitions().find((definition) => definition.name === name)?.oauth;
  const hasOwnWay =
    typeof oauth === 'object' && (oauth.grant ?? oauth.deviceAuthorizationEndpoint) !== undefined;
  return browser || hasOwnWay ? undefined : 'browser';
}

function hasOwnHeader(host: Host, name: string): boolean {
  const headers = host.definitions().find((definition) => definition.name === name)?.headers ?? {};
  return Object.keys(headers).some((header) => header.toLowerCase() === 'authorization');
}

/**
 * Turns `auth-unsupported` into `auth-required` for a remote server that needs a login which holt cannot find
 * or may not use, so that the exit code says so. Not for a server that works without a login or has its own
 * header.
 */
function outOfReach(error: unknown, host: Host, name: string): unknown {
  if (!HoltError.is(error, 'auth-unsupported') || hasOwnHeader(host, name)) return error;
  const isProgram = host
    .definitions()
    .some((definition) => definition.name === name && definition.transport === 'stdio');
  if (isProgram || host.status()[name]?.status === 'connected') return error;
  const { message, remedy } = error;
  const more = remedy === undefined ? {} : { remedy };
  return new HoltError('auth-required', message, { server: name }, { ...more, cause: error });
}

async function mayLogIn(host: Host, name: string, { ask }: CommandContext): Promise<boolean> {
  if ((await host.getAuthStatus(name)) !== 'authenticated') return true;
  if (ask === undefined) {
    throw usage(
      `"${name}" is already logged in, and holt cannot ask without a terminal`,
      `holt reauth ${nameWord(name)} replaces the login without asking.`,
      name,
    );
  }
  const answer = await ask(
    `You are logged in to "${escapeLine(name)}". Log in again and replace that? [y/N]: `,
  );
  return isYes(answer);
}

/** Suppresses reminders to log in while the user is doing that. */
function withoutReminder(context: CommandContext, name: string): CommandContext {
  const isReminder = (text: string): boolean =>
    text === `MCP Authentication Required: ${name}` ||
    [name, escapeLine(name)].some((shown) => text.startsWith(`"${shown}" names the login "`));
  return {
    ...context,
    warn: (line) => isReminder(line) || context.warn(line),
    // The login itself shows what it waits for.
    progress: () => undefined,
    hostOptions: () => {
      const options = context.hostOptions();
      const toast = options.interaction?.toast;
      if (toast === undefined) return options;
      return {
        ...options,
        interaction: {
          ...options.interaction,
          toast: (message) => isReminder(message.text) || toast(message),
        },
      };
    },
  };
}

/**
 * Keeps the client registration if possible, because a new one would leave an unused client at the provider.
 * Resolves to a function that restores the tokens. Undefined if there is nothing to restore.
 */
export async function removeTokens(
  host: Pick<Host, 'logins' | 'removeAuth'>,
  name: string,
  store: CredentialStore | undefined,
): Promise<(() => Promise<void>) | undefined> {
  const login = (await host.logins()).find(({ server }) => server === name);
  const isStored = login !== undefined && login.backend !== 'memory';
  const record = isStored ? await store?.get(login.id) : undefined;
  if (login === undefined || store === undefined || record === undefined) {
    await host.removeAuth(name);
    return undefined;
  }
  const { tokens: _dropped, ...rest } = record;
  await store.set(login.id, rest);
  return async () => {
    const back = withTokens(record, await store.get(login.id));
    if (back !== undefined) await store.set(login.id, back);
  };
}

/**
 * Returns undefined if the user has logged in or out in the meantime, so that the tokens must not be
 * restored.
 */
function withTokens(
  before: CredentialRecord,
  now: CredentialRecord | undefined,
): CredentialRecord | undefined {
  const { tokens, generation, issuer } = before;
  if (tokens === undefined || now === undefined || now.tokens !== undefined) return undefined;
  if (now.generation !== generation) return undefined;
  // A client that was just registered at another issuer does not match these tokens.
  return now.issuer === issuer ? { ...now, tokens } : before;
}
