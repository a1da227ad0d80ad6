/**
 * The running program of one server. It has a cookie in its environment, the guardian watches it and a record
 * on disk describes it. Stopping it ends everything it started, inside or outside its process group.
 */

import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';

import type { Clock } from '../clock.ts';
import { errorCode } from '../error-code.ts';
import { pause } from '../waits.ts';
import type { Guardian } from './guardian.ts';
import type { Leases } from './leases.ts';
import { labelContainer } from './servers/container-args.ts';
import { createDescendantRecord, type DescendantRecord } from './trees/descendant-record.ts';
import { endSurvivors } from './trees/end-survivors.ts';
import { explainSpawnFailure, passingCodes } from './servers/spawn-failure.ts';
import { createLadder, type StopSteps } from './servers/stop-ladder.ts';
import { stopContainers } from './servers/stop-container.ts';
import { processTree, runVariable, type ProcessTree } from './process-tree.ts';
import { runCommand as realRunCommand, type RunCommand } from './run-command.ts';
import { spawnProcess, type ProcessPlan, type SpawnedProcess } from './spawn-process.ts';

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

export interface ServerProcessParts {
  readonly guardian: Pick<Guardian, 'expect' | 'watch' | 'release'>;
  readonly leases: Pick<Leases, 'hold' | 'remember' | 'release'>;
  readonly clock: Clock;
  readonly tree?: ProcessTree;
  readonly spawn?: (plan: ProcessPlan) => SpawnedProcess;
  readonly runCommand?: RunCommand;
  /** How long a start waits, in milliseconds, for file descriptors or processes that others may free. */
  readonly patienceMs?: number;
  readonly signal?: AbortSignal;
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

async function spawnPatiently(plan: ProcessPlan, parts: ServerProcessParts): Promise<SpawnedProcess> {
  const { clock, spawn = spawnProcess, patienceMs = 20_000, signal } = parts;
  const giveUpAt = clock.now() + patienceMs;
  for (let waitMs = 25; ; waitMs = Math.min(waitMs * 2, 400)) {
    signal?.throwIfAborted();
    try {
      return await spawnOnce(plan, spawn);
    } catch (error) {
      if (!passingCodes.has(errorCode(error) ?? '') || clock.now() >= giveUpAt) throw error;
    }
    await pause(waitMs, clock);
  }
}

/**
 * `spawn` shows synchronously whether the program started, but reports the reason for a failure as an event.
 * Without free file descriptors, the child does not even have streams.
 */
async function spawnOnce(
  plan: ProcessPlan,
  spawn: (plan: ProcessPlan) => SpawnedProcess,
): Promise<SpawnedProcess> {
  const child = spawn(plan);
  if (child.pid !== undefined) {
    // Callers learn of failed signals and broken pipes in other ways. Without these listeners, they would
    // crash the process.
    for (const source of [child, child.stdin, child.stdout, child.stderr])
      source.on('error', () => undefined);
    observeReset(child.stdin);
    return child;
  }
  throw await new Promise<Error>((resolve) => {
    child.once('error', resolve);
  });
}

/**
 * When a program exits with unread input, the socket that is its stdin is reset. Node reports this only to a
 * reader of the socket, as a stream error. It is the only way to tell whether a program exited because of its
 * input. No public method reads from this stream, because Node treats it as write-only. Deno and Bun do not
 * use a socket here: a read fails and closes the stream, so the reset cannot be observed there.
 */
function observeReset(stdin: Writable): void {
  if (!(stdin instanceof Socket) || 'deno' in process.versions || 'bun' in process.versions) return;
  // oxlint-disable-next-line no-underscore-dangle -- see above
  stdin._read(0);
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
  const ladder = createLadder({ pid, exited, endInput: () => stdin.end(), clock, tree });
  const hurried = new AbortController();
  const record = recordDescendants(child, owned, { guardian, leases, clock, tree });
  let stopping: Promise<void> | undefined;

  const stop = async (steps: StopSteps): Promise<void> => {
    const startedAt = clock.now();
    await record.close();
    const { isGone, wasSignalled } = await ladder.climb(steps);
    const graceMs = survivorGraceMs(steps, clock.now() - startedAt);
    const { left } = await endSurvivors(record.known, { tree, clock, graceMs, hurried: hurried.signal });
    await tree.endLeavers(run);
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
      ladder.hurry();
      hurried.abort();
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
