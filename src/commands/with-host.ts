/**
 * Opens a host for one command. Ctrl-C interrupts it and it is always closed. In the REPL the running host is
 * used.
 */

import type { Host, HostOptions } from '../host/host.ts';
import { HoltError } from '../kernel/errors.ts';
import type { CommandContext } from './command.ts';
import { warnOfFiles } from './diagnosis/file-problems.ts';
import { printListWarnings } from './diagnosis/list-warnings.ts';
import { tellLoginWarnings } from './login/login-warnings.ts';
import { tellRuleWarnings } from './diagnosis/rule-warnings.ts';
import { withWaitingLine, type WaitingLine } from './show/waiting-line.ts';

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
  if (options.interaction?.toast === undefined) tellLoginWarnings(host, context);
  tellRuleWarnings(host, context.warn);
  printListWarnings(host, context.warn);
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
