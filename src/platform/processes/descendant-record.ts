/**
 * Remembers the descendants of a server while parent links still show them. A process that double-forks, starts its own
 * session and wipes its environment has no other trace once its parent has ended, so holt looks while the server runs.
 */

import type { Clock } from '../clock.ts';
import {
  identitiesOf,
  keyOf,
  type ProcessFacts,
  type ProcessIdentity,
  type ProcessTree,
} from './process-facts.ts';
import { isWithin } from './waiting.ts';

export interface DescendantRecordParts {
  readonly pid: number;
  /** While this holds, the number is the server's. */
  readonly isRunning: () => boolean;
  readonly tree: ProcessTree;
  readonly clock: Clock;
  /** Called after the first look, and whenever there are new ones, with all that are known and the server itself. */
  readonly onFound: (known: readonly ProcessIdentity[], server: readonly ProcessIdentity[]) => void;
}

export interface DescendantRecord {
  readonly known: readonly ProcessIdentity[];
  /** The server has just done something: a look follows soon, unless there was one a moment ago. */
  noteActivity(): void;
  /** Looks now, and schedules no further looks. */
  close(): Promise<void>;
}

/** Soon enough to see a parent that exits after its work, and not in the way of what the server sent. */
const delayMs = 5;
/** New processes often start others: a few looks follow each other closely then, each after twice the pause. */
const closeMs = 20;
const intervalMs = 500;
/** A look may take this part of the time at most. */
const share = 1 / 100;
/** A look that the system does not answer in time must not hold up a stop. */
const patienceMs = 200;
const maxKnown = 4096;

export function createDescendantRecord(parts: DescendantRecordParts): DescendantRecord {
  const { pid, isRunning, tree, clock, onFound } = parts;
  let known: readonly ProcessIdentity[] = [];
  let server: readonly ProcessIdentity[] | undefined;
  let isClosed = false;
  let isOver = false;
  let cancelTimer: (() => void) | undefined;
  let pauseMs = closeMs;
  let nextAt = 0;
  let looking: Promise<void> = Promise.resolve();

  const lookOnce = async (): Promise<void> => {
    const startedAt = clock.now();
    const isFirst = server === undefined && !isClosed;
    server ??= await identify(pid, tree);
    const before = new Set(known.map(keyOf));
    const found = await tree.findDescendants(isRunning() ? pid : undefined, known);
    if (isOver) return;
    known = identitiesOf(leaversFirst(found, pid)).slice(0, maxKnown);
    const hasNew = isFirst || known.some((each) => !before.has(keyOf(each)));
    // Not while looks are close already: a server may start processes all the time.
    const isBurst = isFirst || (hasNew && pauseMs === intervalMs);
    pauseMs = isBurst ? closeMs : Math.min(pauseMs * 2, intervalMs);
    const now = clock.now();
    nextAt = now + Math.max(pauseMs, (now - startedAt) / share);
    if (hasNew) onFound(known, server);
    if (pauseMs < intervalMs) schedule();
  };
  /** One after the other: an older look must not replace what a newer one found. */
  const look = (): Promise<void> => (looking = looking.then(lookOnce));
  const schedule = (): void => {
    if (cancelTimer !== undefined || isClosed) return;
    const fire = (): void => {
      cancelTimer = undefined;
      void look();
    };
    cancelTimer = clock.setTimer(Math.max(delayMs, nextAt - clock.now()), fire, { background: true });
  };
  return {
    get known() {
      return known;
    },
    noteActivity: schedule,
    close: async () => {
      isClosed = true;
      cancelTimer?.();
      await isWithin(look(), patienceMs, clock);
      isOver = true;
    },
  };
}

/** A signal to the server's group reaches the others, so that a server cannot hide one among many. */
function leaversFirst(found: readonly ProcessFacts[], leader: number): readonly ProcessFacts[] {
  const isLeaver = ({ group }: ProcessFacts): boolean => group !== leader;
  return [...found.filter(isLeaver), ...found.filter((each) => !isLeaver(each))];
}

async function identify(pid: number, tree: ProcessTree): Promise<readonly ProcessIdentity[]> {
  const facts = await tree.describe(pid);
  return facts === undefined ? [] : identitiesOf([facts]);
}
