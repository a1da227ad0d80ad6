/** Shows on a terminal, after one second, what a command is waiting for. */

import type { Host } from '../../host/host.ts';
import type { Status } from '../../kernel/phases.ts';
import type { CommandContext } from '../command.ts';

export interface WaitingLine {
  /** Limits the line to these servers. */
  amongServers(names: readonly string[]): void;
  /** Sets what the command waits for. Replaces the list of starting servers. */
  waitFor(what: string): void;
  /** Shows progress immediately. */
  report(text: string): void;
}

export type WaitingContext = Pick<CommandContext, 'progress' | 'clock'>;

const tickMs = 1000;

/** Runs `work` and shows what it waits for. */
export async function withWaitingLine<Result>(
  host: Pick<Host, 'status'>,
  { progress, clock }: WaitingContext,
  work: (line: WaitingLine) => Promise<Result>,
): Promise<Result> {
  const startedAt = clock.now();
  let servers: readonly string[] | undefined;
  let what: string | undefined;
  let report: string | undefined;
  const show = (): void => {
    const text = report ?? what ?? startingText(host, servers);
    const seconds = Math.floor((clock.now() - startedAt) / 1000);
    progress(text === undefined || seconds === 0 ? report : `${text}, ${seconds} s`);
  };
  let cancel: () => void;
  const tick = (): void => {
    cancel = clock.setTimer(tickMs, tick, { background: true });
    show();
  };
  cancel = clock.setTimer(tickMs, tick, { background: true });
  try {
    return await work({
      amongServers: (names) => (servers = names),
      waitFor: (text) => (what = `Waiting for ${text}`),
      report: (text) => {
        report = text;
        show();
      },
    });
  } finally {
    cancel();
    progress(undefined);
  }
}

const mostNames = 3;

function stageOf({ phase, retryAt }: Extract<Status, { status: 'connecting' }>): string {
  if (retryAt !== undefined) return 'waiting to retry';
  return phase === 'disconnected' ? 'starting' : phase;
}

/** Returns undefined if no server is starting. */
function startingText(host: Pick<Host, 'status'>, among: readonly string[] | undefined): string | undefined {
  const starting = Object.entries(host.status()).flatMap(([name, status]) => {
    if (status.status !== 'connecting' || among?.includes(name) === false) return [];
    return [`${name} (${stageOf(status)})`];
  });
  if (starting.length === 0) return undefined;
  const more = starting.length - mostNames;
  const named = starting.slice(0, mostNames).join(', ');
  return `Waiting for ${named}${more > 0 ? ` and ${more} more` : ''}`;
}
