/** Finds the descendants of processes. Pure: a reader provides the system's current state. */

import type { ProcessFacts, ProcessIdentity } from './process-facts.ts';

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
