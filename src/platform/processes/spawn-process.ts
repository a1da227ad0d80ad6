/**
 * Starts a program without a shell, in its own session and process group, with three pipes and no other
 * descriptors of holt. The caller must end its process group.
 */

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';

import { HoltError } from '../../kernel/errors.ts';
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
