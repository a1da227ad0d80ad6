/** How long a server asks us to wait. Pure. */

/** Nobody is made to wait longer than this, whatever a server says. */
export const longestWaitMs = 5 * 60_000;

export interface RetryHeaders {
  readonly retryAfter: string | null;
  /** The server's own idea of now: its clock and ours may differ. */
  readonly date: string | null;
}

/** Undefined when nothing usable was said; the caller then waits as it sees fit. */
export function readRetryAfter({ retryAfter, date }: RetryHeaders, wallNow: number): number | undefined {
  const text = retryAfter?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/.test(text)) return clamp(Number(text) * 1000);
  // Only a real date: `Date.parse` would also read "-5" or "soon 1" as some year.
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(text)) return undefined;
  const at = Date.parse(text);
  if (Number.isNaN(at)) return undefined;
  const theirNow = Date.parse(date ?? '');
  return clamp(at - (Number.isNaN(theirNow) ? wallNow : theirNow));
}

function clamp(ms: number): number {
  return Math.min(Math.max(ms, 0), longestWaitMs);
}
