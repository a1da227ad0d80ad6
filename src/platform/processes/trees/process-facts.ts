/** Types for facts about processes and operations on them, independent of the system. */

import { errorCode } from '../../../kernel/errors.ts';

/** The environment variable that identifies processes of a run, even after they left their group. */
export const runVariable = 'HOLT_RUN';

export interface ProcessFacts {
  readonly pid: number;
  readonly group: number;
  /** Opaque: equal strings mean the same process. Undefined where the system does not provide it. */
  readonly start: string | undefined;
}

/** Identifies one process. The system reuses pids, but not together with the same start time. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly start: string;
}

export interface ProcessUsage {
  /** The program's name without its folder and without arguments, which may contain secrets. */
  readonly name: string;
  readonly memoryBytes: number;
  readonly ageMs: number;
}

export interface NumberScope {
  /** Differs after each boot of the machine. */
  readonly bootId: string;
  /** The pid namespace; containers number their processes separately. */
  readonly space: string;
}

export interface ProcessTree {
  /** Returns undefined when there is no such process. */
  describe(pid: number): Promise<ProcessFacts | undefined>;
  /** The scope in which a pid is meaningful. */
  scope(): Promise<NumberScope>;
  /** Returns the memory used by a group of processes, given the group's leader. */
  memoryBytes(leader: number): Promise<number | undefined>;
  isGroupAlive(leader: number): Promise<boolean>;
  /** Windows has no signals: either of them ends the process tree. */
  signalGroup(leader: number, signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Ends every process that carries this run's cookie, in any group. Resolves to their number. */
  endRun(run: string): Promise<number>;
  /**
   * Finds the `known` processes that still run, and all descendants of these and of the leader, as far as
   * parent links lead. Excludes the leader, this process and its ancestors. Empty on Windows.
   */
  findDescendants(
    leader: number | undefined,
    known: readonly ProcessIdentity[],
  ): Promise<readonly ProcessFacts[]>;
  /** Signals the process, or its whole group when it is the leader. Does nothing when the pid was reused. */
  signalProcess(target: ProcessIdentity, signal: 'SIGTERM' | 'SIGSTOP' | 'SIGKILL'): Promise<void>;
  /** Returns undefined when there is no such process or the system does not provide the data. */
  usage(pid: number): Promise<ProcessUsage | undefined>;
}

/** Omits processes without a start time, because they could not be recognised later. */
export function identitiesOf(facts: readonly ProcessFacts[]): readonly ProcessIdentity[] {
  return facts.flatMap(({ pid, start }) => (start === undefined ? [] : [{ pid, start }]));
}

export function keyOf({ pid, start }: ProcessIdentity): string {
  return `${pid} ${start}`;
}

/** Returns false when there is no such process. A permission error means that there is one. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
