/** The rows of `holt ps`: running servers, and processes that outlived a server. */

import type { Lease } from './lease-records.ts';
import type { ProcessFacts, ProcessTree } from '../trees/process-facts.ts';

export interface Judged {
  readonly lease: Lease;
  readonly ownerAlive: boolean;
  /** True for the recorded process itself, not for one that reused its pid. */
  readonly isRunning: boolean;
  readonly isThisBoot: boolean;
}

interface Row {
  /** The id of the server's run. */
  readonly id: string;
  readonly server: string;
  readonly pid: number;
  readonly memoryBytes: number | undefined;
  readonly startedAt: string;
  readonly ageMs: number;
  readonly owner: { readonly pid: number; readonly alive: boolean };
}

export interface ServerRow extends Row {
  readonly kind: 'server';
  readonly command: string;
}

/**
 * A process that a server started and that still runs although the server was stopped or its owner is gone.
 */
export interface SurvivorRow extends Row {
  readonly kind: 'survivor';
  /** Only the program's name, because its arguments are not masked. */
  readonly command: string;
  readonly remedy: string;
}

export type OwnedRow = ServerRow | SurvivorRow;

export async function listRows(
  judged: readonly Judged[],
  tree: ProcessTree,
  wallNow: () => number,
): Promise<readonly OwnedRow[]> {
  const rows = await Promise.all([
    ...judged.filter(({ isRunning }) => isRunning).map((one) => serverRow(one, tree, wallNow)),
    ...judged.map((one) => survivorRows(one, tree, wallNow)),
  ]);
  return rows
    .flat()
    .toSorted((left, right) => left.server.localeCompare(right.server, 'en') || left.pid - right.pid);
}

async function serverRow(
  { lease, ownerAlive }: Judged,
  tree: ProcessTree,
  wallNow: () => number,
): Promise<ServerRow> {
  const { id, server, command, pid, startedAt, owner } = lease;
  return {
    id,
    kind: 'server',
    server,
    command,
    pid,
    memoryBytes: await tree.memoryBytes(pid),
    startedAt,
    ageMs: Math.max(0, wallNow() - Date.parse(startedAt)),
    owner: { pid: owner.pid, alive: ownerAlive },
  };
}

async function survivorRows(
  { lease, ownerAlive, isRunning, isThisBoot }: Judged,
  tree: ProcessTree,
  wallNow: () => number,
): Promise<readonly SurvivorRow[]> {
  const { id, server, pid: leader, owner, descendants = [], stopped = false } = lease;
  if (!isThisBoot || (ownerAlive && !stopped)) return [];
  const found = await tree.findDescendants(isRunning ? leader : undefined, descendants);
  // A server that still runs has its own row, which includes the memory of its whole group.
  const outside = found.filter(({ group }) => !isRunning || group !== leader);
  const rows = outside.map(async ({ pid }: ProcessFacts): Promise<readonly SurvivorRow[]> => {
    const usage = await tree.usage(pid);
    if (usage === undefined) return [];
    const { name, memoryBytes, ageMs } = usage;
    const startedAt = new Date(wallNow() - ageMs).toISOString();
    const who = { id, server, pid, owner: { pid: owner.pid, alive: ownerAlive } };
    return [{ ...who, kind: 'survivor', command: name, memoryBytes, startedAt, ageMs, remedy: 'holt reap' }];
  });
  return (await Promise.all(rows)).flat();
}
