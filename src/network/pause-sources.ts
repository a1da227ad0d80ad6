/**
 * Decides which sources of received data wait while a host holds more than its limit, and which continue.
 *
 * Callers can take only complete messages. If the limit is exceeded and no message is complete, all held data
 * is partial messages, so one source at a time may continue until its message is complete. The host therefore
 * holds at most the limit, one such message, and the small amount that each server is always allowed.
 */

export interface PausableSource {
  readonly held: number;
  readonly account: { readonly held: number };
  pause(): void;
  resume(): void;
}

/** Which sources are paused, and which of them must stay paused. */
export interface Pausing {
  readonly paused: Set<PausableSource>;
  mustWait: ReadonlySet<PausableSource>;
  /** The one source that may continue although the limit is exceeded. */
  first: PausableSource | undefined;
  isResuming: boolean;
}

interface HeldData {
  /** Sources that can be paused. */
  readonly sources: ReadonlySet<PausableSource>;
  readonly held: number;
  /** The share of `held` that belongs to complete messages. */
  readonly waiting: number;
  readonly limit: number;
}

/**
 * A server that holds no more than this is never paused.
 * If the limit is small, `limit / freePart` applies instead.
 */
const freeBytes = 1 << 20;
const freePart = 16;

export function pauseOrResume(pausing: Pausing, data: HeldData): void {
  const mustWait = largeSources(data);
  pausing.first = data.waiting === 0 ? chooseFirst(mustWait, pausing.first) : undefined;
  if (pausing.first !== undefined) mustWait.delete(pausing.first);
  pausing.mustWait = mustWait;
  for (const source of mustWait) {
    if (pausing.paused.has(source)) continue;
    pausing.paused.add(source);
    source.pause();
  }
  if (mustWait.size < pausing.paused.size) resumeSoon(pausing);
}

function largeSources({ sources, held, limit }: HeldData): Set<PausableSource> {
  if (held <= limit) return new Set();
  const free = Math.min(freeBytes, limit / freePart);
  return new Set([...sources].filter(({ account }) => account.held > free));
}

/** Resumes in a separate turn: the change may come from inside the parser of another response. */
function resumeSoon(pausing: Pausing): void {
  if (pausing.isResuming) return;
  pausing.isResuming = true;
  setImmediate(() => {
    pausing.isResuming = false;
    // `resume` may pause other sources and so change the set.
    for (const source of Array.from(pausing.paused)) {
      // Resuming one source may be enough to pause the next one again.
      if (pausing.mustWait.has(source) || !pausing.paused.delete(source)) continue;
      source.resume();
    }
  });
}

/**
 * Prefers the source that already continues, then one of the server
 * that holds least, so that the largest wait longest.
 */
function chooseFirst(
  sources: ReadonlySet<PausableSource>,
  current: PausableSource | undefined,
): PausableSource | undefined {
  if (current !== undefined && sources.has(current) && current.held > 0) return current;
  const [first] = [...sources]
    .filter(({ held }) => held > 0)
    .toSorted((left, right) => left.account.held - right.account.held || right.held - left.held);
  return first;
}
