/** A real terminal for tests: a program in a pty, what it shows, and keys to press. */

import { spawn } from '@lydell/node-pty';

import { executable, type Sandbox } from './holt-command.ts';

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
): TerminalRun {
  const terminal = spawn(process.execPath, [executable, ...args], {
    cols: 200,
    rows: 60,
    cwd: sandbox.project,
    env: { PATH: process.env['PATH'] ?? '', HOME: sandbox.home, TERM: 'xterm', NO_COLOR: '1', ...env },
  });
  let shown = '';
  let wake: () => void = () => undefined;
  let code: number | undefined;
  terminal.onData((data) => {
    shown += data;
    wake();
  });
  const exited = new Promise<number>((resolve) => {
    terminal.onExit(({ exitCode }) => {
      code = exitCode;
      wake();
      resolve(exitCode);
    });
  });
  return {
    shown: () => shown,
    type: (keys) => terminal.write(keys),
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
