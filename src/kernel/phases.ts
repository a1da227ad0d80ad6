/** The eleven phases of a connection, in the order that a healthy connection passes through them. */

export const phases = [
  'disconnected',
  'connecting',
  'initializing',
  'handshaking',
  'listing_resources',
  'listing_tools',
  'listing_prompts',
  'ready',
  'executing',
  'cleaning_up',
  'failed',
] as const;

export type Phase = (typeof phases)[number];

/** The phases of a start whose length depends on the server. */
export const startPhases = [
  'connecting',
  'initializing',
  'handshaking',
  'listing_resources',
  'listing_tools',
  'listing_prompts',
] as const satisfies readonly Phase[];

/**
 * Time limits in milliseconds. `startMs` covers everything up to `ready`. A missing limit means the default.
 */
export interface Timeouts {
  readonly startMs?: number;
  readonly idleMs?: number;
  readonly totalMs?: number;
  readonly phases?: Readonly<Partial<Record<Phase, number>>>;
}

/** The limit for a whole start: either `startMs`, or the value that all start phases share. */
export function startLimitOf({ startMs, phases: limits = {} }: Timeouts): number | undefined {
  if (startMs !== undefined) return startMs;
  const first = limits[startPhases[0]];
  return startPhases.every((phase) => limits[phase] === first) ? first : undefined;
}

export type Status =
  | { readonly status: 'connected' }
  | { readonly status: 'disabled' }
  | { readonly status: 'failed'; readonly error: string }
  | { readonly status: 'needs_auth' }
  | { readonly status: 'needs_client_registration'; readonly error: string }
  | { readonly status: 'needs_input'; readonly inputs: readonly string[] }
  /** `folder`: the project's folder is not trusted, and the server cannot start anywhere else. */
  | { readonly status: 'untrusted'; readonly reason?: 'folder' }
  | { readonly status: 'blocked'; readonly error: string }
  | { readonly status: 'connecting'; readonly phase: Phase; readonly retryAt?: string }
  | { readonly status: 'idle' };

/** Protocol version 2026-07-28 has no sessions; all earlier versions do. */
export type Era = 'stateless' | 'stateful';
