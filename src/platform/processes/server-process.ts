/**
 * The running program of one server. It has a cookie in its environment, the guardian watches it and a record
 * on disk describes it. Stopping it ends everything it started, inside or outside its process group.
 */

import { randomBytes } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';

import type { Guardian } from './guardian.ts';
import type { Leases } from './leases.ts';
import { labelContainer, stopContainers } from './servers/containers.ts';
import { createDescendantRecord, type DescendantRecord } from './trees/descendants.ts';
import { createStopSequence, endSurvivors, type StopSteps } from './servers/stop-program.ts';
import {
  explainSpawnFailure,
  spawnPatiently,
  type PatienceParts,
  type ProcessPlan,
  type SpawnedProcess,
} from './spawn-process.ts';
import { processTree, runVariable, type ProcessTree } from './process-tree.ts';
import { runCommand as realRunCommand, type RunCommand } from './run-command.ts';

export type { StopSteps };

export interface ServerProgram extends ProcessPlan {
  readonly server: string;
  /**
   * Returns the command line for display. Called after the program has started, because masking secrets takes
   * time.
   */
  readonly command: () => string;
}

export interface ServerProcess {
  readonly pid: number;
  /**
   * Emits an error, where the system reports it, when the program exits or closes its stdin without having
   * read everything.
   */
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<ExitFacts>;
  /**
   * Resolves when all its processes have ended or cannot be ended. Never rejects. Later calls do not change
   * the steps.
   */
  stop(steps: StopSteps): Promise<void>;
  /** Kills the program immediately, even while a stop is in progress. */
  kill(): Promise<void>;
  /**
   * Call when the server has sent something. It may have started processes, so a search for them follows
   * soon.
   */
  noteActivity(): void;
}

export interface ExitFacts {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

export interface ServerProcessParts extends PatienceParts {
  readonly guardian: Pick<Guardian, 'expect' | 'watch' | 'release'>;
  readonly leases: Pick<Leases, 'hold' | 'remember' | 'release'>;
  readonly tree?: ProcessTree;
  readonly runCommand?: RunCommand;
}

/** Starts the program. Rejects with `program-missing`, `spawn-failed` or another HoltError from the start. */
export async function openServerProcess(
  program: ServerProgram,
  parts: ServerProcessParts,
): Promise<ServerProcess> {
  const run = randomBytes(8).toString('hex');
  const labelled = labelContainer(program.program, program.args, run);
  const plan: ProcessPlan = {
    program: program.program,
    args: labelled ?? program.args,
    env: { ...program.env, [runVariable]: run },
    cwd: program.cwd,
  };
  parts.guardian.expect(run);
  let child: SpawnedProcess;
  try {
    child = await spawnPatiently(plan, parts);
  } catch (error) {
    parts.guardian.release(run);
    throw explainSpawnFailure(program, error);
  }
  const pid = child.pid ?? 0; // spawnPatiently never returns a child without a pid
  parts.guardian.watch(run, pid);
  const { server, command } = program;
  void parts.leases.hold({
    id: run,
    server,
    command: command(),
    pid,
    ...(labelled === undefined ? {} : { containerTool: plan.program }),
  });
  return ownProcess(child, { run, pid, plan, isContainer: labelled !== undefined }, parts);
}

interface Owned {
  readonly run: string;
  readonly pid: number;
  readonly plan: ProcessPlan;
  readonly isContainer: boolean;
}

type RecordParts = Pick<ServerProcessParts, 'guardian' | 'leases' | 'clock'> & { readonly tree: ProcessTree };

function ownProcess(child: SpawnedProcess, owned: Owned, parts: ServerProcessParts): ServerProcess {
  const { run, pid, plan, isContainer } = owned;
  const { guardian, leases, clock, tree = processTree, runCommand = realRunCommand } = parts;
  const { stdin, stdout, stderr } = child;
  // Wait for `exit`, not `close`: a process that holds the pipes open must not delay the stop.
  const exited = new Promise<ExitFacts>((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
  });
  const sequence = createStopSequence({ pid, exited, endInput: () => stdin.end(), clock, tree });
  const skipsGrace = new AbortController();
  const record = recordDescendants(child, owned, { guardian, leases, clock, tree });
  let stopping: Promise<void> | undefined;

  const stop = async (steps: StopSteps): Promise<void> => {
    const startedAt = clock.now();
    await record.close();
    const { isGone, wasSignalled } = await sequence.run(steps);
    const graceMs = survivorGraceMs(steps, clock.now() - startedAt);
    const { left } = await endSurvivors(record.known, {
      tree,
      clock,
      graceMs,
      skipsGrace: skipsGrace.signal,
    });
    await tree.endRun(run);
    // A container client that exited by itself has already seen its container end.
    if (isContainer && (wasSignalled || child.exitCode !== 0)) await stopContainers(run, plan, runCommand);
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
    // Keep the records of what could not be ended, so that the guardian and the next start try again.
    if (!isGone) return;
    if (left.length === 0) {
      guardian.release(run);
      await leases.release(run);
    } else {
      // The system may now reuse the group's number.
      guardian.watch(run, 0, left);
      await leases.remember(run, left, 'stopped');
    }
  };
  return {
    pid,
    stdin,
    stdout,
    stderr,
    exited,
    stop: (steps) => (stopping ??= stop(steps)),
    kill: () => {
      sequence.skipWaits();
      skipsGrace.abort();
      return (stopping ??= stop({ stdinMs: 0, termMs: 0 }));
    },
    noteActivity: () => record.noteActivity(),
  };
}

/** Survivors get the remaining time of the stop, but at least `stdinMs` (half a second). */
function survivorGraceMs({ stdinMs, termMs }: StopSteps, spentMs: number): number {
  return Math.max(stdinMs, stdinMs + termMs - spentMs);
}

function recordDescendants(
  child: SpawnedProcess,
  { run, pid }: Owned,
  { guardian, leases, clock, tree }: RecordParts,
): DescendantRecord {
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  return createDescendantRecord({
    pid,
    isRunning,
    tree,
    clock,
    onFound: (known, server) => {
      guardian.watch(run, pid, [...server, ...known]);
      if (known.length > 0) void leases.remember(run, known);
    },
  });
}
