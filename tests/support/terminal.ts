/** A real terminal for tests: a program in a pty, what it shows, and keys to press. */

import { spawn } from '@lydell/node-pty';

import { executable, type Sandbox } from './holt-command.ts';

export interface Pty {
  type(keys: string): void;
  /** Its exit code, once all that it showed has been given. */
  readonly exited: Promise<number>;
}

export interface PtyOptions {
  readonly cols?: number;
  readonly rows?: number;
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Stays at the terminal after the program: when nobody is left there, what has not been read yet is lost. It has none of
 * the program's environment, by which tests look for what is left running.
 */
const hold = `trap : INT; "$@"; printf '\\036%s\\036' "$?"; exec sleep 1000`;

export function openPty(
  [command = '', ...args]: readonly string[],
  options: PtyOptions,
  onData: (data: string, pty: Pick<Pty, 'type'>) => void,
): Pty {
  const given = Object.entries({ TERM: 'xterm', ...options.env }).map(([name, value]) => `${name}=${value}`);
  const terminal = spawn('/bin/sh', ['-c', hold, 'sh', 'env', '-i', ...given, command, ...args], {
    ...options,
    env: { PATH: process.env['PATH'] ?? '' },
  });
  const type = (keys: string): void => terminal.write(keys);
  const exited = new Promise<number>((resolve, reject) => {
    let rest = '';
    terminal.onData((data) => {
      const [shown = '', ...end] = (rest + data).split('\u001e');
      const [code, after] = end;
      rest = code === undefined ? '' : `\u001e${code}`;
      if (shown !== '') onData(shown, { type });
      if (after === undefined) return;
      terminal.kill('SIGKILL');
      resolve(Number(code));
    });
    terminal.onExit(({ signal }) => reject(new Error(`the terminal ended (${signal})`)));
  });
  return { type, exited };
}

export interface TerminalRun {
  /** Everything shown so far. */
  readonly shown: () => string;
  /** Waits until the text has been shown, from this place on; rejects when the program ends first. */
  waitFor(text: string, from?: number): Promise<void>;
  type(keys: string): void;
  readonly exited: Promise<number>;
}

export function runInTerminal(
  sandbox: Sandbox,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { cols = 200 }: { readonly cols?: number } = {},
): TerminalRun {
  const options = {
    cols,
    rows: 60,
    cwd: sandbox.project,
    env: { PATH: process.env['PATH'] ?? '', HOME: sandbox.home, TERM: 'xterm', NO_COLOR: '1', ...env },
  };
  let shown = '';
  let wake: () => void = () => undefined;
  let code: number | undefined;
  const { type, exited } = openPty([process.execPath, executable, ...args], options, (data) => {
    shown += data;
    wake();
  });
  const end = (exitCode: number): void => {
    code = exitCode;
    wake();
  };
  void exited.then(end, () => end(-1));
  return {
    shown: () => shown,
    type,
    exited,
    waitFor: async (text, from = 0) => {
      while (!shown.includes(text, from)) {
        if (code !== undefined)
          throw new Error(`the program ended (${code}) without showing ${JSON.stringify(text)}:\n${shown}`);
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
