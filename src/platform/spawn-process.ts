/**
 * Starts a program: no shell, a session and process group of its own, three pipes and nothing else of ours.
 * Whoever starts one has to end its group.
 */

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';

import { HoltError } from '../kernel/errors.ts';
import { batchLine, isBatchFile } from './windows-arguments.ts';

export interface ProcessPlan {
  /** Absolute. */
  readonly program: string;
  readonly args: readonly string[];
  /** All of the environment; nothing of ours is added. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export type SpawnedProcess = ChildProcessWithoutNullStreams;

/** A program that cannot be started says so by the event `error`, as in Node. */
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
    // On Windows this would open a window of its own instead.
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

/** Also for whoever wants to know before starting. */
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
