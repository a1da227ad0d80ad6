/**
 * Starts a program without a shell, in its own session and process group, with three pipes and no other
 * descriptors of holt. The caller must end its process group.
 */

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import fs from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';

import { HoltError, errorCode } from '../../kernel/errors.ts';
import { pause } from '../waits.ts';
import type { Clock } from '../clock.ts';
import { batchLine, isBatchFile } from './windows-arguments.ts';

export interface ProcessPlan {
  /** The absolute path. */
  readonly program: string;
  readonly args: readonly string[];
  /** The complete environment; nothing is added. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export type SpawnedProcess = ChildProcessWithoutNullStreams;

/**
 * A program that cannot be started emits `error`, as in Node. Throws `config-invalid` for unsafe arguments to
 * a batch file.
 */
export function spawnProcess(plan: ProcessPlan): SpawnedProcess {
  const { cwd, env } = plan;
  const isWindows = process.platform === 'win32';
  const [program, args, verbatim] =
    isWindows && isBatchFile(plan.program) ? throughCmd(plan) : [plan.program, plan.args, false];
  return spawn(program, args, {
    cwd,
    env: { ...env },
    shell: false,
    stdio: ['pipe', 'pipe', 'pipe'],
    // On Windows, `detached` would open a console window instead.
    detached: !isWindows,
    windowsHide: true,
    windowsVerbatimArguments: verbatim,
  });
}

function throughCmd({ program, args, env }: ProcessPlan): [string, readonly string[], boolean] {
  const line = batchLine(program, args);
  if (line.ok) return [env['ComSpec'] ?? 'cmd.exe', ['/d', '/v:off', '/s', '/c', line.line], true];
  throw refuseBatch(program, line);
}

/** Creates the error for an unsafe batch file argument. Exported for checks before the start. */
export function refuseBatch(
  program: string,
  { argument, character }: { readonly argument: number; readonly character: string },
): HoltError<'config-invalid'> {
  const what = argument === 0 ? 'its own path' : `argument ${argument}`;
  const message = `${program} is a batch file, and ${what} has the character ${JSON.stringify(character)}, which Windows would read as a command`;
  return new HoltError(
    'config-invalid',
    message,
    { errors: [message] },
    { remedy: 'Name the program that the batch file starts.' },
  );
}

/** Temporary failures: the machine is out of a resource that other processes may free soon. */
const passingCodes = new Set(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM']);

export interface PatienceParts {
  readonly clock: Clock;
  readonly spawn?: (plan: ProcessPlan) => SpawnedProcess;
  /** How long a start waits, in milliseconds, for file descriptors or processes that others may free. */
  readonly patienceMs?: number;
  readonly signal?: AbortSignal;
}

/** Starts the program, and tries again while the machine is out of a resource. The child has a pid. */
export async function spawnPatiently(plan: ProcessPlan, parts: PatienceParts): Promise<SpawnedProcess> {
  const { clock, spawn: start = spawnProcess, patienceMs = 20_000, signal } = parts;
  const giveUpAt = clock.now() + patienceMs;
  for (let waitMs = 25; ; waitMs = Math.min(waitMs * 2, 400)) {
    signal?.throwIfAborted();
    try {
      return await spawnOnce(plan, start);
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
  start: (plan: ProcessPlan) => SpawnedProcess,
): Promise<SpawnedProcess> {
  const child = start(plan);
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

interface Attempt {
  readonly server: string;
  readonly program: string;
  readonly cwd: string;
}

export function explainSpawnFailure(attempt: Attempt, error: unknown): HoltError {
  if (HoltError.is(error)) return error;
  const { server, program, cwd } = attempt;
  const code = errorCode(error) ?? 'unknown';
  if (!isFolder(cwd))
    return failed(
      attempt,
      error,
      `the folder it starts in is not there: ${cwd}`,
      'Make the folder, or set "cwd".',
    );
  if (code === 'ENOENT' && !fs.existsSync(program)) {
    const message = `Server "${server}" cannot start: command not found: ${program}`;
    return new HoltError('program-missing', message, { server, command: program }, { cause: error });
  }
  const known = reasons[code];
  return failed(attempt, error, known?.[0] ?? code, known?.[1]);
}

const reasons: Readonly<Record<string, readonly [string, string]>> = {
  ENOENT: ['the interpreter that its first line names is not there', 'Install it, or name it in "command".'],
  EACCES: ['it may not be executed', 'Give it the right to run: chmod +x.'],
  EPERM: ['it may not be executed', 'Look at its rights, and at what guards this machine.'],
  ENOEXEC: [
    'it is not a program for this machine',
    'Name an interpreter in "command", or install the right build.',
  ],
  E2BIG: ['its arguments and variables are too large together', 'Pass long values in a file.'],
  EMFILE: [
    'too many files are open in this process',
    'Raise the limit (ulimit -n), or start fewer servers at a time.',
  ],
  ENFILE: ['too many files are open on this machine', 'Close other programs.'],
  EAGAIN: [
    'too many processes are running',
    'Raise the limit (ulimit -u), or start fewer servers at a time.',
  ],
  ENOMEM: ['there is not enough memory', 'Close other programs, or start fewer servers at a time.'],
};

function failed(attempt: Attempt, cause: unknown, reason: string, remedy: string | undefined): HoltError {
  const { server, program } = attempt;
  const message = `Server "${server}" cannot start ${program}: ${reason}`;
  const details = { server, program, reason: errorCode(cause) ?? reason };
  return new HoltError('spawn-failed', message, details, {
    cause,
    ...(remedy === undefined ? {} : { remedy }),
  });
}

function isFolder(path: string): boolean {
  try {
    return fs.statSync(path).isDirectory();
  } catch {
    return false;
  }
}
