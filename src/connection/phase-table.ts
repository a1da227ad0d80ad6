/** The phases of a connection as one table: which may follow which. Any other step is a bug, and says so. */

import { HoltError } from '../kernel/errors.ts';
import { phases, type Phase } from '../kernel/phases.ts';

/**
 * Row: where we are. Entries: where that may lead, first where it leads when all goes well. From everywhere else than
 * `failed` things may also fail.
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
  /** How long `from` lasted. */
  readonly ms: number;
}

export interface PhaseWalk {
  readonly current: Phase;
  /** Throws `illegal-transition` for a step that is not in the table. */
  enter(to: Phase): void;
  /** Walks the chain forward until `to`, entering and leaving what lies between. Does nothing when already there or past it. */
  advance(to: Phase): void;
  /** How long each phase since the last `connecting` took; the current one is not in it. */
  times(): Readonly<Partial<Record<Phase, number>>>;
}

export interface PhaseParts {
  readonly server: string;
  readonly now: () => number;
  readonly onStep: (step: PhaseStep) => void;
}

export function createPhaseWalk({ server, now, onStep }: PhaseParts): PhaseWalk {
  let current: Phase = 'disconnected';
  let since = now();
  let times: Partial<Record<Phase, number>> = {};
  const enter = (to: Phase): void => {
    if (!mayFollow(current, to)) {
      const message = `Server "${server}" cannot go from ${current} to ${to}`;
      throw new HoltError('illegal-transition', message, { server, from: current, to });
    }
    const at = now();
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

/** On the way up to `ready` the phases stand in the order they are walked. */
function isBefore(current: Phase, to: Phase): boolean {
  const ready = phases.indexOf('ready');
  const [from, until] = [phases.indexOf(current), phases.indexOf(to)];
  return until <= ready && from < until;
}
