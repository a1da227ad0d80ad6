/** What is known of processes and done to them, whatever the system. */

/** The variable by which a process that left its group is still known as one of ours. */
export const runVariable = 'HOLT_RUN';

export interface ProcessFacts {
  readonly pid: number;
  readonly group: number;
  /** Opaque: equal texts mean the same process. Undefined where the system does not tell. */
  readonly start: string | undefined;
}

/** Identifies one process. The system reuses numbers, but not together with the same start. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly start: string;
}

export interface ProcessUsage {
  /** The program's name without its folder or arguments, which may hold secrets. */
  readonly name: string;
  readonly memoryBytes: number;
  readonly ageMs: number;
}

export interface NumberScope {
  /** Differs after each start of the machine. */
  readonly bootId: string;
  /** Containers count their processes for themselves. */
  readonly space: string;
}

export interface ProcessTree {
  /** Undefined when there is no such process. */
  describe(pid: number): Promise<ProcessFacts | undefined>;
  /** Where a process number means anything. */
  scope(): Promise<NumberScope>;
  /** What a group of processes holds in memory, by the group's leader. */
  memoryBytes(leader: number): Promise<number | undefined>;
  isGroupAlive(leader: number): Promise<boolean>;
  /** Windows knows no signals: there either of them ends the tree. */
  signalGroup(leader: number, signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Ends every process that carries this run's cookie, wherever it went. Answers how many there were. */
  endLeavers(run: string): Promise<number>;
  /**
   * Those of `known` that still run, and every process below them or below the leader, as far as parent links lead.
   * Neither the leader itself, nor this process and the processes it descends from. Empty on Windows.
   */
  findDescendants(
    leader: number | undefined,
    known: readonly ProcessIdentity[],
  ): Promise<readonly ProcessFacts[]>;
  /** To the process, and to its group when it leads one. Not sent when the number belongs to another process now. */
  signalProcess(target: ProcessIdentity, signal: 'SIGTERM' | 'SIGSTOP' | 'SIGKILL'): Promise<void>;
  /** Undefined when there is no such process, or the system does not say. */
  usage(pid: number): Promise<ProcessUsage | undefined>;
}

/** Without a start there is no telling later whether it is the same process. */
export function identitiesOf(facts: readonly ProcessFacts[]): readonly ProcessIdentity[] {
  return facts.flatMap(({ pid, start }) => (start === undefined ? [] : [{ pid, start }]));
}

export function keyOf({ pid, start }: ProcessIdentity): string {
  return `${pid} ${start}`;
}
