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

/** How long things may take. `startMs` covers everything up to `ready`; a limit left out is the default. */
export interface Timeouts {
  readonly startMs?: number;
  readonly idleMs?: number;
  readonly totalMs?: number;
  readonly phases?: Readonly<Partial<Record<Phase, number>>>;
}
