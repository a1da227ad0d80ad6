/**
 * Listens for abort on a caller's signal. Adds at most one listener per signal, however many operations wait
 * on it, because Node.js warns of a leak when a signal has more than ten.
 */

const waiting = new WeakMap<EventTarget, Set<() => void>>();
const once = { once: true } as const;

/** Calls the listener immediately if the signal is already aborted. */
export function onAbort(signal: AbortSignal, listener: () => void): void {
  if (signal.aborted) return listener();
  let all = waiting.get(signal);
  if (all === undefined) waiting.set(signal, (all = new Set()));
  if (all.size === 0) signal.addEventListener('abort', tellAll, once);
  all.add(listener);
}

export function offAbort(signal: AbortSignal, listener: () => void): void {
  const all = waiting.get(signal);
  if (all?.delete(listener) === true && all.size === 0) signal.removeEventListener('abort', tellAll);
}

function tellAll({ target }: Event): void {
  const all = target === null ? undefined : waiting.get(target);
  if (all === undefined) return;
  for (const listener of all) listener();
  all.clear();
}
