/** What is known of processes and done to them, whatever the system. */

/** The variable by which a process that left its group is still known as one of ours. */
export const runVariable = 'HOLT_RUN';

export interface ProcessFacts {
  readonly pid: number;
  readonly group: number;
  /** Opaque: equal texts mean the same process. Undefined where the system does not tell. */
  readonly start: string | undefined;
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
}
