/** The allowed transitions between the phases of a connection. Any other transition is a bug and throws. */

import { HoltError } from '../kernel/errors.ts';
import { phases, type Phase } from '../kernel/phases.ts';
import type { Clock } from '../platform/clock.ts';

/**
 * The phases that may follow each phase. The first one is the normal next step. Every phase except `failed`
 * may also lead to `failed`.
 */
export const steps = {
  disconnected: ['connecting', 'failed'],
  connecting: ['initializing', 'failed'],
  initializing: ['handshaking', 'failed'],
  handshaking: ['listing_resources', 'failed'],
  listing_resources: ['listing_tools', 'failed'],
  listing_tools: ['listing_prompts', 'failed'],
  listing_prompts: ['ready', 'failed'],
  ready: ['executing', 'cleaning_up', 'failed'],
  executing: ['ready', 'cleaning_up', 'failed'],
  cleaning_up: ['disconnected', 'failed'],
  failed: ['cleaning_up'],
} as const satisfies Record<Phase, readonly [Phase, ...Phase[]]>;

export function mayFollow(from: Phase, to: Phase): boolean {
  const allowed: readonly Phase[] = steps[from];
  return allowed.includes(to);
}

export interface PhaseStep {
  readonly from: Phase;
  readonly to: Phase;
  /** How long `from` lasted, in milliseconds. */
  readonly ms: number;
}

export interface PhaseWalk {
  readonly current: Phase;
  /** Throws `illegal-transition` for a step that is not in the table. */
  enter(to: Phase): void;
  /** Enters each phase up to `to` in order. Does nothing if `to` is already reached or passed. */
  advance(to: Phase): void;
  /** Milliseconds spent in each phase since the last `connecting`, without the current phase. */
  times(): Readonly<Partial<Record<Phase, number>>>;
}

export interface PhaseParts {
  readonly server: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly onStep: (step: PhaseStep) => void;
}

export function createPhaseWalk({ server, clock, onStep }: PhaseParts): PhaseWalk {
  let current: Phase = 'disconnected';
  let since = clock.now();
  let times: Partial<Record<Phase, number>> = {};
  const enter = (to: Phase): void => {
    if (!mayFollow(current, to)) {
      const message = `Server "${server}" cannot go from ${current} to ${to}`;
      throw new HoltError('illegal-transition', message, { server, from: current, to });
    }
    const at = clock.now();
    const step: PhaseStep = { from: current, to, ms: Math.max(0, Math.round(at - since)) };
    if (to === 'connecting') times = {};
    else times[current] = (times[current] ?? 0) + step.ms;
    current = to;
    since = at;
    onStep(step);
  };
  return {
    get current() {
      return current;
    },
    enter,
    advance: (to) => {
      while (isBefore(current, to)) enter(steps[current][0]);
    },
    times: () => ({ ...times }),
  };
}

/** Up to `ready`, `phases` lists the phases in the order of a start. */
function isBefore(current: Phase, to: Phase): boolean {
  const ready = phases.indexOf('ready');
  const [from, until] = [phases.indexOf(current), phases.indexOf(to)];
  return until <= ready && from < until;
}
