/**
 * Login with a token that the user types. The token is tried at the server, and stored unless the server
 * rejects it.
 */

import type { Status } from '../kernel/phases.ts';
import { loginFailed, noTerminal, tokenRefused } from './login-errors.ts';
import type { FlowParts } from './login-flow.ts';
import type { LoginTarget } from './login-target.ts';
import { shared } from './login-records.ts';

export interface ManualParts extends FlowParts {
  /** Reconnects the server with the current credentials and returns its status. */
  readonly reconnect: (server: string, signal: AbortSignal) => Promise<Status>;
}

/** Like `runManual`, but rejects with `auth-failed` when no token was typed. */
export async function requireManual(
  target: LoginTarget,
  signal: AbortSignal,
  parts: ManualParts,
): Promise<void> {
  if (await runManual(target, signal, parts)) return;
  if (parts.interaction.askSecret === undefined) throw noTerminal(target.server);
  throw loginFailed(target.server, 'no token was given');
}

/**
 * Asks for a token, tries it and stores it. Returns false when the user cannot be asked, or typed nothing.
 */
export async function runManual(
  target: LoginTarget,
  signal: AbortSignal,
  parts: ManualParts,
): Promise<boolean> {
  const { interaction, tokenSource, learn } = parts;
  const label = `Token for "${target.server}"`;
  const typed = await interaction.askSecret?.({ label, password: true }, signal);
  const access = typed?.trim().replace(/^Bearer\s+/i, '') ?? '';
  if (access === '') return false;
  learn(access);
  if (!/^[\x21-\x7e]+$/.test(access))
    throw loginFailed(
      target.server,
      'the token contains blanks or other characters that no header can hold',
      {
        remedy: 'Copy the token again, without line breaks.',
      },
    );
  await requireAccepted(target, access, { ...parts, signal });
  await tokenSource.change(target, (record) => {
    signal.throwIfAborted();
    const { sharedWith, generation = 0 } = record ?? {};
    const login = { serverUrl: target.serverUrl, tokens: { access }, generation: generation + 1 };
    return shared({ ...login, ...(sharedWith === undefined ? {} : { sharedWith }) }, target);
  });
  return true;
}

/** Throws when the server rejects the token. Any other connection failure says nothing about the token. */
async function requireAccepted(
  target: LoginTarget,
  access: string,
  { tokenSource, reconnect, signal }: ManualParts & { readonly signal: AbortSignal },
): Promise<void> {
  const { status } = await tokenSource.tryTokens(target, { access }, () => reconnect(target.server, signal));
  signal.throwIfAborted();
  if (status !== 'needs_auth' && status !== 'needs_client_registration') return;
  // Reconnect with the earlier login, which stays in use.
  if ((await tokenSource.current(target)) !== undefined) await reconnect(target.server, signal);
  throw tokenRefused(target.server);
}
