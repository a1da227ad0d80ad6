/** The eleven phases of a connection, in the order a healthy one walks them. */

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

/** The phases of a start that a server can make long. */
export const startPhases = [
  'connecting',
  'initializing',
  'handshaking',
  'listing_resources',
  'listing_tools',
  'listing_prompts',
] as const satisfies readonly Phase[];

/** How long things may take. `startMs` covers everything up to `ready`; a limit left out is the default. */
export interface Timeouts {
  readonly startMs?: number;
  readonly idleMs?: number;
  readonly totalMs?: number;
  readonly phases?: Readonly<Partial<Record<Phase, number>>>;
}

/** The one limit of a whole start, in whichever of its two forms it is given. */
export function startLimitOf({ startMs, phases: limits = {} }: Timeouts): number | undefined {
  if (startMs !== undefined) return startMs;
  const first = limits[startPhases[0]];
  return startPhases.every((phase) => limits[phase] === first) ? first : undefined;
}
