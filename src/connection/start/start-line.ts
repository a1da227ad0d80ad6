/** Opens a channel to a server: waits for a start slot, starts the transport and reports when it is open. */

import type { Transport } from '../../kernel/servers.ts';
import type { LaunchPlan } from '../../secrets/launch-plan.ts';
import type { Clock } from '../../platform/clock.ts';
import type { CatalogBudget } from '../catalog-budget.ts';
import type { OpenTransport } from '../door.ts';
import { createLine, type Line, type LineEvents } from '../line/line.ts';
import type { Warn } from '../line/read-lists.ts';
import type { StartSlots } from './start-slots.ts';

export interface StartParts {
  readonly open: OpenTransport;
  readonly slots: StartSlots;
  readonly catalog: Pick<CatalogBudget, 'listBytesOf'>;
  readonly clock: Clock;
  readonly events: (line: () => Line) => LineEvents;
  readonly warn: Warn;
  /** Called just before a program is started or a server is contacted. */
  readonly onStart: (line: Line) => void;
  readonly onOpened: (line: Line) => void;
  /** How long a program that writes nothing holds its slot. */
  readonly slotMs: number;
}

export async function startLine(
  plan: LaunchPlan,
  kind: Transport,
  parts: StartParts,
  signal: AbortSignal,
): Promise<Line> {
  const release = kind === 'stdio' ? await parts.slots.take(plan.server, signal) : () => undefined;
  try {
    const transport = await parts.open(plan, kind);
    signal.throwIfAborted();
    transport.onwarning = (code, message) => parts.warn(code, message);
    const line: Line = createLine(
      transport,
      parts.events(() => line),
      { listBytes: () => parts.catalog.listBytesOf(plan.server) },
    );
    parts.onStart(line);
    transport.opened.then(
      () => parts.onOpened(line),
      () => undefined,
    );
    const stop = (): void => void line.close().catch(() => undefined);
    signal.addEventListener('abort', stop, { once: true });
    try {
      await line.start();
    } finally {
      signal.removeEventListener('abort', stop);
    }
    holdPlace(release, transport.stirred, parts);
    return line;
  } catch (error) {
    release();
    throw error;
  }
}

/** Holds the slot until the program writes its first byte: until then its start uses the processor. */
function holdPlace(
  release: () => void,
  stirred: Promise<void> | undefined,
  { clock, slotMs }: StartParts,
): void {
  const stop = clock.setTimer(slotMs, release, { background: true });
  stirred
    ?.catch(() => undefined)
    .then(() => {
      stop();
      release();
    })
    .catch(() => undefined);
}
