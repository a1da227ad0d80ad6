/**
 * Opens a host for one command. Ctrl-C interrupts it and it is always closed. In the REPL the running host is
 * used. Also retries work that needs a server which is not approved.
 */

import type { Host, HostOptions } from '../host/host.ts';
import { HoltError } from '../kernel/errors.ts';
import type { CommandContext } from './command.ts';
import { warnOfFiles, warnOfHost } from './diagnosis/host-warnings.ts';
import { type WaitingLine, withWaitingLine } from './show/waiting-line.ts';

/** `servers` are added to the configured ones. */
export async function withHost<Result>(
  context: CommandContext,
  work: (host: Host, signal: AbortSignal, line: WaitingLine) => Promise<Result>,
  servers: HostOptions['servers'] = {},
): Promise<Result> {
  const signal = context.interrupted();
  const { sharedHost } = context;
  if (sharedHost !== undefined) {
    for (const [name, config] of Object.entries(servers)) await sharedHost.add(name, config);
    return withWaitingLine(sharedHost, context, (line) => work(sharedHost, signal, line));
  }
  // The parent process may have left files open that servers must not inherit.
  context.closeInherited();
  const { openHostWith } = await import('../host/open-host.ts');
  const options = context.hostOptions();
  const { host } = await openHostWith(
    { ...options, servers: { ...options.servers, ...servers } },
    { keepsResults: true, startsOnlyNeeded: true },
  );
  warnOfHost(host, { warn: context.warn, hasToasts: options.interaction?.toast !== undefined });
  warnOfFiles(host.problems(), context.warn);
  const close = async (): Promise<void> => host.close();
  const onAbort = (): void => void close();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await withWaitingLine(host, context, (line) => work(host, signal, line));
  } catch (error) {
    throw signal.aborted ? asInterruption(error) : error;
  } finally {
    signal.removeEventListener('abort', onAbort);
    await close();
  }
}

/** Reports Ctrl-C as the cause, not the error that it led to. */
function asInterruption(error: unknown): unknown {
  if (HoltError.is(error, 'call-aborted') || HoltError.is(error, 'interrupted')) return error;
  return interruption(error);
}

export function interruption(cause?: unknown): HoltError<'interrupted'> {
  return new HoltError('interrupted', 'Interrupted', { signal: 'SIGINT' }, { cause });
}

/**
 * `ask` connects the server, which asks for approval. The work is then retried, whatever the answer, so that
 * its own error explains what is missing.
 */
export async function askingForTrust<Result>(
  { interaction }: Pick<CommandContext, 'interaction'>,
  work: () => Promise<Result>,
  ask: (server: string) => Promise<unknown>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (interaction.confirmTrust === undefined || !HoltError.is(error, 'trust-required')) throw error;
    await ask(error.details.server);
  }
  return work();
}
