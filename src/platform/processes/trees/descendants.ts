/** Finds the descendants of processes. Pure: a reader provides the system's current state. */

import type { Clock } from '../../clock.ts';
import { isWithin } from '../../waits.ts';
import {
  identitiesOf,
  keyOf,
  type ProcessFacts,
  type ProcessIdentity,
  type ProcessTree,
} from './process-facts.ts';

export interface RelatedFacts extends ProcessFacts {
  readonly parent: number;
}

export interface FamilyReader<Facts extends RelatedFacts> {
  readonly self: number;
  /** Returns undefined when there is no such process. */
  describe(pid: number): Facts | undefined;
  childrenOf(pid: number): readonly number[];
}

/**
 * Searches from `leader`, which is not part of the result, and from the `known` processes whose start time
 * still matches.
 */
export function descendantsOf<Facts extends RelatedFacts>(
  leader: number | undefined,
  known: readonly ProcessIdentity[],
  reader: FamilyReader<Facts>,
): readonly Facts[] {
  const found = new Map<number, Facts>();
  const waiting: number[] = leader === undefined ? [] : [...reader.childrenOf(leader)];
  for (const { pid, start } of known) if (reader.describe(pid)?.start === start) waiting.push(pid);

  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    const facts = found.has(pid) || pid === leader ? undefined : reader.describe(pid);
    if (facts === undefined) continue;
    found.set(pid, facts);
    waiting.push(...reader.childrenOf(pid));
  }
  leaveOut(found, reader);
  return [...found.values()];
}

/** Excludes this process and its ancestors, even if a server started them. */
function leaveOut<Facts extends RelatedFacts>(found: Map<number, Facts>, reader: FamilyReader<Facts>): void {
  let pid: number | undefined = reader.self;
  while (pid !== undefined && found.delete(pid)) pid = reader.describe(pid)?.parent;
}

/**
 * Creates a reader from the rows of all processes, for systems that only list processes with their parents.
 */
export function readerOf<Facts extends RelatedFacts>(
  rows: readonly Facts[],
  self: number,
): FamilyReader<Facts> {
  const byPid = new Map(rows.map((row) => [row.pid, row]));
  const children = new Map<number, number[]>();
  for (const { pid, parent } of rows) {
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [pid]);
    else siblings.push(pid);
  }
  return { self, describe: (pid) => byPid.get(pid), childrenOf: (pid) => children.get(pid) ?? [] };
}

interface DescendantRecordParts {
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
    known = identitiesOf(outsideGroupFirst(found, pid)).slice(0, maxKnown);
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
function outsideGroupFirst(found: readonly ProcessFacts[], leader: number): readonly ProcessFacts[] {
  const isOutsideGroup = ({ group }: ProcessFacts): boolean => group !== leader;
  return [...found.filter(isOutsideGroup), ...found.filter((each) => !isOutsideGroup(each))];
}

async function identify(pid: number, tree: ProcessTree): Promise<readonly ProcessIdentity[]> {
  const facts = await tree.describe(pid);
  return facts === undefined ? [] : identitiesOf([facts]);
}
