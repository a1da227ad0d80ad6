/**
 * The browser login: prepares it, waits for the answer, and exchanges its code. The callback and a pasted address
 * race; the first valid one wins.
 */

import type { Emit } from '../kernel/events.ts';
import type { Interaction } from '../kernel/interaction.ts';
import { readCallback } from './callback-text.ts';
import { defaultCallbackPort, type CallbackListener, type OpenCallback } from './callback-listener.ts';
import {
  beginLogin,
  exchangeCode,
  isFromIssuer,
  requireLoginPage,
  type BrowserAnswer,
  type BrowserLogin,
} from './flows/browser.ts';
import { chooseClient, type ChosenClient } from './flows/client-id.ts';
import { chooseScope, type LoginServer } from './flows/login-server.ts';
import { foreignText, loginFailed } from './login-errors.ts';
import {
  failAs,
  findLoginServer,
  storeClient,
  storeLogin,
  type FlowOptions,
  type FlowParts,
  type Wanted,
} from './login-flow.ts';
import type { LoginTarget } from './login-target.ts';

export interface BrowserParts extends FlowParts {
  readonly emit: Emit;
}

export interface BrowserOptions extends FlowOptions {
  /** False: report the URL instead of opening it. */
  readonly opens: boolean;
}

/** Everything that is determined before the user is asked to log in. */
export interface PreparedLogin {
  readonly target: LoginTarget;
  readonly server: LoginServer;
  readonly client: ChosenClient;
  readonly scope: string | undefined;
  readonly login: BrowserLogin;
  readonly callback: OpenCallback;
}

/**
 * Prepares a browser login. Reserves the port first, so that an unavailable port fails before any request is
 * sent.
 */
export async function prepareBrowser(
  target: LoginTarget,
  options: FlowOptions,
  parts: FlowParts,
): Promise<PreparedLogin> {
  const callback = await parts.listener.open(placeFor(target));
  try {
    return await parts.tokenSource.withFetch(
      target,
      async (fetch) => {
        const { server, record } = await findLoginServer(target, options, parts, fetch);
        requireLoginPage(target, server);
        const { scope: asked, challenge } = options;
        const scope = chooseScope({ target, server, record, challenge, asked });
        const redirectUri = target.oauth.redirectUri ?? callback.redirectUri;
        const now = parts.wallNow() / 1000;
        const { app } = parts;
        const client = await chooseClient({ target, server, record, redirectUri, app, now }, fetch);
        await storeClient(target, { server, client }, parts);
        const login = await beginLogin({ server, client: client.identity, redirectUri, scope });
        learnAll([login.codeVerifier, client.identity.secret], parts);
        return { target, server, client, scope, login, callback };
      },
      options.signal,
    );
  } catch (error) {
    await callback.release();
    throw error;
  }
}

/**
 * Determines the redirect URI's port and path. A client that was registered by hand has its redirect URI
 * registered too, including the port.
 */
function placeFor({ server, oauth }: LoginTarget): Parameters<CallbackListener['open']>[0] {
  const { redirectUri, callbackPort, clientId, clientMetadataUrl } = oauth;
  const own = redirectUri !== undefined && URL.canParse(redirectUri) ? new URL(redirectUri) : undefined;
  const port =
    callbackPort ?? (own === undefined || own.port === '' ? defaultCallbackPort : Number(own.port));
  const fixed = [redirectUri, callbackPort, clientId, clientMetadataUrl].some((value) => value !== undefined);
  return { server, port, fixed, ...(own === undefined ? {} : { path: own.pathname }) };
}

/** Exchanges the code for tokens and stores them. */
export async function finishBrowser(
  { target, server, client, login }: PreparedLogin,
  answer: BrowserAnswer,
  parts: FlowParts,
  wanted: Wanted,
): Promise<void> {
  parts.learn(answer.code);
  const tokens = await parts.tokenSource
    .withFetch(
      target,
      (fetch) => exchangeCode({ server, client: client.identity, login, answer }, fetch, parts.wallNow),
      wanted.signal,
    )
    .catch((error: unknown) => failAs({ target, client }, error, parts));
  await storeLogin(target, { server, client, tokens }, parts, wanted);
}

/** Runs a browser login and stores its tokens. */
export async function runBrowser(
  target: LoginTarget,
  options: BrowserOptions,
  parts: BrowserParts,
): Promise<void> {
  const prepared = await prepareBrowser(target, options, parts);
  const over = new AbortController();
  try {
    const waiting = waitForCallback(prepared, options.signal, parts);
    const pasted = waitForPaste(prepared, AbortSignal.any([options.signal, over.signal]), parts.interaction);
    // Both are awaited below, but may reject before that. This prevents an unhandled rejection.
    waiting.catch(() => undefined);
    pasted.catch(() => undefined);
    await openPage(prepared, options.opens, parts);
    const answer = await Promise.race([waiting, pasted]);
    await finishBrowser(prepared, answer, parts, options);
  } finally {
    over.abort(new Error('the login is over'));
    await prepared.callback.release();
  }
}

/**
 * Waits for the browser's callback. A callback from another issuer is reported as a warning, and the wait
 * goes on.
 */
export function waitForCallback(
  prepared: PreparedLogin,
  signal: AbortSignal,
  parts: FlowParts,
): Promise<BrowserAnswer> {
  const { target, login, server } = prepared;
  const isFrom = (iss: string | undefined): boolean => isFromIssuer(server, iss);
  const onForeign = (): void =>
    parts.warn(
      target.server,
      'login-callback-ignored',
      `Ignored a callback for the login of "${target.server}": it does not name the issuer ${foreignText(server.metadata.issuer)}. The login is still waiting.`,
    );
  return parts.listener
    .wait(login.state, { server: target.server, signal, isFrom, onForeign })
    .catch((error: unknown) => failAs(prepared, error, parts));
}

async function openPage(
  { target, login }: PreparedLogin,
  opens: boolean,
  { interaction, emit }: BrowserParts,
): Promise<void> {
  const { server } = target;
  const url = login.authorizationUrl;
  const isOpen = opens && (await interaction.openUrl?.(url, `log in to "${server}"`)) === true;
  if (!isOpen) emit('mcp.browser.open.failed', { server, mcpName: server, url });
}

/** Never settles when nothing is pasted, because the callback may still arrive. */
function waitForPaste(
  prepared: PreparedLogin,
  signal: AbortSignal,
  interaction: Interaction,
): Promise<BrowserAnswer> {
  return new Promise((resolve, reject) => {
    askUntilGood(prepared, signal, interaction)
      .then((answer) => answer !== undefined && resolve(answer))
      .catch(
        (error: unknown) =>
          !signal.aborted && reject(error instanceof Error ? error : new Error(String(error))),
      );
  });
}

async function askUntilGood(
  prepared: PreparedLogin,
  signal: AbortSignal,
  { askCallback, toast }: Interaction,
): Promise<BrowserAnswer | undefined> {
  const { target, login } = prepared;
  while (!signal.aborted) {
    const { authorizationUrl, redirectUri } = login;
    const text = await askCallback?.({ server: target.server, authorizationUrl, redirectUri, signal });
    if (text === undefined) return undefined;
    const read = answerIn(text, prepared);
    if (read.kind === 'answer') return read.answer;
    toast?.({ level: 'warning', text: whyNot(read.kind, prepared) });
  }
  return undefined;
}

function whyNot(kind: 'unrelated' | 'foreign', { target, server }: PreparedLogin): string {
  return kind === 'foreign'
    ? `That answer does not name the issuer ${foreignText(server.metadata.issuer)}. Paste the whole address that your own login ended at.`
    : `That is not the answer to the login of "${target.server}".`;
}

type ReadAnswer =
  | { readonly kind: 'answer'; readonly answer: BrowserAnswer }
  | { readonly kind: 'unrelated' }
  /** The answer does not name the expected issuer. */
  | { readonly kind: 'foreign' };

/** A code without `state` is accepted only if the provider does not have to name its issuer. */
function answerIn(text: string, { target, login, server }: PreparedLogin): ReadAnswer {
  const read = readCallback(text);
  if (read.kind === 'unreadable') return { kind: 'unrelated' };
  const { state, iss } = read.kind === 'refused' ? read.refusal : read.answer;
  const isBare = state === undefined && read.kind === 'answer';
  if (state !== login.state && !isBare) return { kind: 'unrelated' };
  if (!isFromIssuer(server, iss)) return { kind: 'foreign' };
  if (read.kind === 'refused') throw loginFailed(target.server, read.refusal.words);
  return { kind: 'answer', answer: { code: read.answer.code, iss } };
}

function learnAll(secrets: readonly (string | undefined)[], { learn }: FlowParts): void {
  for (const secret of secrets) if (secret !== undefined) learn(secret);
}
