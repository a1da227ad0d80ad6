/**
 * Handles Ctrl-C and similar signals. The first asks the command to end; a second one within two seconds ends
 * the process immediately.
 */

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const patienceMs = 2000;

export interface Interrupts {
  /** Aborted by the first signal. The first call installs the signal handlers. */
  signal(): AbortSignal;
  /** The same signal, without installing handlers. */
  readonly raised: AbortSignal;
  /** Acts like a signal. For Ctrl-C on a terminal in raw mode, which delivers it as a key. */
  readonly interrupt: () => void;
  /** True once a signal arrived that was not the command's normal end. */
  wasInterrupted(): boolean;
  /** For commands that run until they are stopped: SIGTERM is then the normal end and not a failure. */
  readonly endsByTerm: () => void;
  /** Registers work to run right before the process ends immediately. */
  onSecond(work: () => void): void;
  dispose(): void;
}

export function createInterrupts(): Interrupts {
  const controller = new AbortController();
  const last: (() => void)[] = [];
  let firstAt: number | undefined;
  let installed = false;
  let endsByTerm = false;
  let first: NodeJS.Signals = 'SIGINT';
  const receive = (signal: NodeJS.Signals = 'SIGINT'): void => {
    const now = performance.now();
    if (firstAt !== undefined && now - firstAt < patienceMs) {
      for (const work of last) work();
      process.exit(130); // eslint-disable-line unicorn/no-process-exit -- the second signal must not wait for anything
    }
    firstAt = now;
    first = signal;
    controller.abort(new DOMException('interrupted', 'AbortError'));
  };
  return {
    signal: () => {
      if (!installed) for (const signal of signals) process.on(signal, receive);
      installed = true;
      return controller.signal;
    },
    raised: controller.signal,
    interrupt: () => receive(),
    wasInterrupted: () => firstAt !== undefined && !(endsByTerm && first === 'SIGTERM'),
    endsByTerm: () => {
      endsByTerm = true;
    },
    onSecond: (work) => last.push(work),
    dispose: () => {
      for (const signal of signals) process.off(signal, receive);
    },
  };
}
