/**
 * Records a server's descendants while parent links still show them. After its parent ends, a process that
 * double-forked, started its own session and cleared its environment cannot be found in any other way, so
 * holt searches while the server runs.
 */

import type { Clock } from '../../clock.ts';
import { isWithin } from '../../waits.ts';
import {
  identitiesOf,
  keyOf,
  type ProcessFacts,
  type ProcessIdentity,
  type ProcessTree,
} from './process-facts.ts';

export interface DescendantRecordParts {
  readonly pid: number;
  /** While this is true, the pid belongs to the server. */
  readonly isRunning: () => boolean;
  readonly tree: ProcessTree;
  readonly clock: Clock;
  /**
   * Called after the first search and whenever a search finds new processes, with all known ones and the
   * server itself.
   */
  readonly onFound: (known: readonly ProcessIdentity[], server: readonly ProcessIdentity[]) => void;
}

export interface DescendantRecord {
  readonly known: readonly ProcessIdentity[];
  /** The server has just been active. A search follows soon, unless there was one a moment ago. */
  noteActivity(): void;
  /** Searches one last time and stops scheduling searches. */
  close(): Promise<void>;
}

/**
 * Short enough to catch a parent that exits after its work, and long enough not to delay the server's
 * message.
 */
const delayMs = 5;
/**
 * New processes often start others, so a few searches follow in quick succession, each after twice the
 * previous pause.
 */
const closeMs = 20;
const intervalMs = 500;
/** The largest share of time that searches may take. */
const share = 1 / 100;
/** A search that the system does not answer in time must not delay a stop. */
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
    // Do not restart the burst while one is running: a server may start processes all the time.
    const isBurst = isFirst || (hasNew && pauseMs === intervalMs);
    pauseMs = isBurst ? closeMs : Math.min(pauseMs * 2, intervalMs);
    const now = clock.now();
    nextAt = now + Math.max(pauseMs, (now - startedAt) / share);
    if (hasNew) onFound(known, server);
    if (pauseMs < intervalMs) schedule();
  };
  /** Searches run one after the other, so that an older result never replaces a newer one. */
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

/**
 * Processes outside the server's group come first, because a signal to the group cannot reach them. Otherwise
 * a server could exceed the limit to hide one.
 */
function leaversFirst(found: readonly ProcessFacts[], leader: number): readonly ProcessFacts[] {
  const isLeaver = ({ group }: ProcessFacts): boolean => group !== leader;
  return [...found.filter(isLeaver), ...found.filter((each) => !isLeaver(each))];
}

async function identify(pid: number, tree: ProcessTree): Promise<readonly ProcessIdentity[]> {
  const facts = await tree.describe(pid);
  return facts === undefined ? [] : identitiesOf([facts]);
}
