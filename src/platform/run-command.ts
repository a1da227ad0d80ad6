/**
 * Runs a small command for what it prints: standard input closed, a process group of its own, a limit on time and on size.
 * Whatever it started is gone when this returns.
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
}

export type CommandOutcome =
  | { readonly kind: 'printed'; readonly text: string }
  | { readonly kind: 'failed'; readonly reason: string };

export type RunCommand = (command: CommandLine, limits: CommandLimits) => Promise<CommandOutcome>;

export const runCommand: RunCommand = (command, { cwd, env, timeoutMs, maxBytes }) =>
  new Promise((resolve) => {
    const child = start(command, cwd, env);
    const chunks: Buffer[] = [];
    let size = 0;
    let ending: string | undefined;
    const end = (reason: string): void => {
      ending ??= reason;
      killGroup(child);
    };
    const timer = setTimeout(() => end(`it took longer than ${timeoutMs / 1000} s`), timeoutMs);
    child.stdout?.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) end(`it printed more than ${maxBytes >> 10} KiB`);
      else chunks.push(chunk);
    });
    const settle = (outcome: CommandOutcome): void => {
      clearTimeout(timer);
      killGroup(child);
      resolve(outcome);
    };
    child.on('error', (error: NodeJS.ErrnoException) => {
      settle({ kind: 'failed', reason: error.code === 'ENOENT' ? 'the program was not found' : `it could not be started (${error.code ?? 'unknown'})` });
    });
    // `exit`, not `close`: something it left running could hold the pipe open for ever.
    child.on('exit', (code, signal) => {
      if (ending !== undefined) return settle({ kind: 'failed', reason: ending });
      if (code !== 0) return settle({ kind: 'failed', reason: code === null ? `it was ended by ${signal}` : `it ended with exit code ${code}` });
      child.stdout?.once('close', () => settle({ kind: 'printed', text: Buffer.concat(chunks).toString('utf8') }));
      killGroup(child);
    });
  });

function start(command: CommandLine, cwd: string, env: Readonly<Record<string, string>>): ChildProcess {
  const [program, args]: [string, readonly string[]] =
    command.kind === 'program' ? [command.program, command.args] : process.platform === 'win32' ? ['cmd.exe', ['/d', '/s', '/c', command.line]] : ['/bin/sh', ['-c', command.line]];
  return spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'ignore'], detached: process.platform !== 'win32', windowsHide: true });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}
