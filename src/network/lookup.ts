/**
 * Looks up host names.
 * A failed lookup is remembered for one second, so that servers on the same host do not repeat it.
 */

import dns from 'node:dns';
import type { LookupFunction } from 'node:net';

import type { Clock } from '../platform/clock.ts';

const rememberMs = 1000;

export function createLookup(clock: Clock, ask: LookupFunction = dns.lookup): LookupFunction {
  const missing = new Map<string, { readonly until: number; readonly error: NodeJS.ErrnoException }>();
  return (host, options, answer) => {
    const known = missing.get(host);
    if (known !== undefined && clock.now() < known.until) {
      queueMicrotask(() => answer(known.error, []));
      return;
    }
    missing.delete(host);
    ask(host, options, (error, address, family) => {
      if (error !== null) missing.set(host, { until: clock.now() + rememberMs, error });
      answer(error, address, family);
    });
  };
}
