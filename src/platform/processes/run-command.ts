/**
 * Runs a short command in its own process group and returns its output, within limits for time and size. The
 * whole group has ended when this returns.
 */

import { spawn, type ChildProcess } from 'node:child_process';

export type CommandLine =
  | { readonly kind: 'program'; readonly program: string; readonly args: readonly string[] }
  | { readonly kind: 'shell'; readonly line: string };

export interface CommandLimits {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** The command's standard input; closed when missing. */
  readonly input?: string;
}

export type CommandOutcome =
  | { readonly kind: 'printed'; readonly text: string }
  | { readonly kind: 'failed'; readonly reason: string };

export type RunCommand = (command: CommandLine, limits: CommandLimits) => Promise<CommandOutcome>;

export const runCommand: RunCommand = async (command, limits) => {
  const { timeoutMs, maxBytes } = limits;
  let child: ChildProcess;
  try {
    child = start(command, limits);
  } catch (error) {
    return couldNotStart(error);
  }
  const outcome = await new Promise<CommandOutcome>((resolve) => {
    const fail = (reason: string): void => resolve({ kind: 'failed', reason });
    const timer = setTimeout(() => fail(`it took longer than ${timeoutMs / 1000} s`), timeoutMs);
    const chunks: Buffer[] = [];
    let size = 0;
    child.stdout?.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) fail(`it printed more than ${maxBytes >> 10} KiB`);
      else chunks.push(chunk);
    });
    child.once('error', (error) => resolve(couldNotStart(error)));
    // The command need not read its input: only its output and exit code matter.
    child.stdin?.on('error', () => undefined).end(limits.input);
    child.once('exit', (code, signal) => {
      if (code !== 0)
        return fail(code === null ? `it was ended by ${signal}` : `it ended with exit code ${code}`);
      // End the processes it left running, so that the pipe closes. One that left the group may hold it open
      // until the timeout.
      killGroup(child);
    });
    child.once('close', () => {
      clearTimeout(timer);
      resolve({ kind: 'printed', text: Buffer.concat(chunks).toString('utf8') });
    });
  });
  if (outcome.kind === 'failed') killGroup(child);
  child.stdout?.destroy();
  return outcome;
};

function couldNotStart(error: unknown): CommandOutcome {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  return {
    kind: 'failed',
    reason: code === 'ENOENT' ? 'the program was not found' : `it could not be started (${code})`,
  };
}

function start(command: CommandLine, { cwd, env, input }: CommandLimits): ChildProcess {
  const [program, args] =
    command.kind === 'program' ? [command.program, command.args] : shellLine(command.line);
  return spawn(program, args, {
    cwd,
    env,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'ignore'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
}

function shellLine(line: string): readonly [string, readonly string[]] {
  return process.platform === 'win32' ? ['cmd.exe', ['/d', '/s', '/c', line]] : ['/bin/sh', ['-c', line]];
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group has already ended.
  }
}
