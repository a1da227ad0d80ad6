/** Ctrl-C and its kin: the first asks the command to end, a second within two seconds ends it at once. */

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const patienceMs = 2000;

export interface Interrupts {
  /** Aborted by the first signal. Nothing is installed before somebody asks for it. */
  signal(): AbortSignal;
  /** The same, and nothing is installed for it. */
  readonly raised: AbortSignal;
  /** As if a signal had come: Ctrl-C where the terminal hands over keys as they are. */
  readonly interrupt: () => void;
  /** True once a signal came that was not the ordinary end. */
  wasInterrupted(): boolean;
  /** What runs until it is told to end: SIGTERM is how that is done, and no failure. */
  readonly endsByTerm: () => void;
  /** Called right before the process ends at once. */
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
      process.exit(130); // eslint-disable-line unicorn/no-process-exit -- asked for twice: nothing may hold it up
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
