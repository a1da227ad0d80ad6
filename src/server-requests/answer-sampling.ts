/**
 * Answers sampling requests, in which a server asks for a completion from the user's model. They cost the
 * user money, so they are off unless the host provides a handler, and their rate is limited.
 */

import type { Interaction, SamplingResult } from '../kernel/interaction.ts';

export interface SamplingParts {
  readonly sample: Interaction['sample'];
  readonly now: () => number;
  readonly noticeOnce: (server: string, code: string, message: string) => void;
}

export type Sample = (server: string, params: Readonly<Record<string, unknown>>) => Promise<SamplingResult>;

/** Maximum number of requests per server and minute. */
const budget = 30;
const windowMs = 60_000;

/** Rejects with a `RefusedRequest` when sampling is off, the rate limit is exceeded, or the user refuses. */
export function createSampling({ sample, now, noticeOnce }: SamplingParts): Sample {
  const asked = new Map<string, readonly number[]>();
  const isOver = (server: string): boolean => {
    const at = now();
    const recent = (asked.get(server) ?? []).filter((time) => at - time < windowMs);
    if (recent.length >= budget) return true;
    asked.set(server, [...recent, at]);
    return false;
  };
  return async (server, params) => {
    if (sample === undefined) {
      noticeOnce(server, 'sampling-off', `"${server}" asks for completions, which are not offered here`);
      throw new RefusedRequest(RefusedRequest.methodNotFound, 'Sampling is not offered by this client');
    }
    if (isOver(server)) {
      noticeOnce(server, 'sampling-limited', `"${server}" asks for more than ${budget} completions a minute`);
      throw new RefusedRequest(RefusedRequest.rejected, 'Too many sampling requests');
    }
    const result = await sample({ server, params });
    if (result === undefined)
      throw new RefusedRequest(RefusedRequest.rejected, 'The user rejected the sampling request');
    return result;
  };
}

export class RefusedRequest extends Error {
  static readonly methodNotFound = -32_601;
  /** The code that the protocol uses when the user rejects a request. */
  static readonly rejected = -1;

  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = 'RefusedRequest';
    this.code = code;
  }
}
