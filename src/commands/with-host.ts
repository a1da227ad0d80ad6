/** A host for the length of one command: interrupted by Ctrl-C, closed whatever happens. */

import type { Host } from '../host/host.ts';
import type { CommandContext } from './command.ts';

export async function withHost<Result>(
  context: CommandContext,
  work: (host: Host, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const signal = context.interrupted();
  // Whoever started us may have left files open; servers must not have them.
  context.closeInherited();
  const { openHost } = await import('../host/open-host.ts');
  const host = await openHost(context.hostOptions());
  const close = async (): Promise<void> => host.close();
  const onAbort = (): void => void close();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await work(host, signal);
  } finally {
    signal.removeEventListener('abort', onAbort);
    await close();
  }
}
