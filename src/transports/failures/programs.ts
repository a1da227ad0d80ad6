/**
 * Classifies why a program did not start or exited, from its exit code, the system error and its stderr.
 * Pure.
 */

import { errorCode } from '../../platform/error-code.ts';
import { type Failure, failureOf } from './kinds.ts';

export interface ProgramEnd {
  readonly error?: unknown;
  readonly exit?: { readonly exitCode: number | null; readonly signal: string | null };
  readonly stderr: string;
}

/** Returns undefined for errors that are not about starting or running a program. */
export function classifyProgram({ error, exit, stderr }: ProgramEnd, server: string): Failure | undefined {
  if (exit !== undefined) return fromExit(exit, stderr, server);
  const code = errorCode(error);
  const words = { server };
  if (code === 'ENOENT') return notFound(programOf(error), '', server);
  if (code === 'EACCES' || code === 'EPERM' || code === 'ENOEXEC') {
    return failureOf(
      'command-not-runnable',
      { message: `${programOf(error)} cannot be run (${code})` },
      words,
      {},
    );
  }
  if (code === 'ENOTDIR')
    return failureOf(
      'spawn-failed',
      { message: 'the folder it should start in is not there', remedy: 'Correct cwd.' },
      words,
      {},
    );
  if (code === 'EMFILE' || code === 'ENFILE' || code === 'EAGAIN') {
    return failureOf(
      'too-many-files',
      { message: `no more programs can be started now (${code})` },
      words,
      {},
    );
  }
  return undefined;
}

function fromExit(
  { exitCode, signal }: NonNullable<ProgramEnd['exit']>,
  stderr: string,
  server: string,
): Failure {
  const missing = exitCode === 127 || exitCode === 1 ? missingProgram(stderr) : undefined;
  if (missing !== undefined) return notFound(missing, stderr, server);
  const how = signal === null ? `it exited with code ${exitCode ?? 'unknown'}` : `it was ended by ${signal}`;
  const remedy = /\bnpm (?:ERR!|error) (?:code )?E404/.test(stderr)
    ? 'Check the name of the package.'
    : undefined;
  return failureOf('exited', { message: how, remedy }, { server }, { exitCode, signal, stderr });
}

/** Finds the missing program in the differing messages of shells, `env` and package runners. */
function missingProgram(stderr: string): string | undefined {
  const found =
    /^(?:\S*?(?:sh|bash|zsh|dash)): (?:line )?(?:\d+: )?(?:exec: )?([^\s:]+): (?:command )?not found/m.exec(
      stderr,
    ) ??
    /^(?:\S*\/)?env: [\u2018'"]?([^\s\u2019'":]+)[\u2019'"]?: No such file or directory/m.exec(stderr) ??
    /spawn (\S+) ENOENT/.exec(stderr);
  return found?.[1];
}

/** How to install the programs that most servers are started with. */
const sources: Readonly<Record<string, string>> = {
  npx: 'It comes with Node.js.',
  node: 'Install Node.js.',
  uvx: 'It comes with uv: see docs.astral.sh/uv.',
  uv: 'Install uv: see docs.astral.sh/uv.',
  bunx: 'It comes with Bun.',
  bun: 'Install Bun.',
  deno: 'Install Deno.',
  docker: 'Install Docker.',
  pipx: 'Install pipx.',
  python: 'Install Python.',
  python3: 'Install Python.',
};

function notFound(program: string, stderr: string, server: string): Failure {
  const name = program.split(/[\\/]/).at(-1) ?? program;
  const remedy = sources[name] ?? 'Install it, or write its full path.';
  return failureOf(
    'command-not-found',
    { message: `command not found: ${name}`, remedy },
    { server },
    { stderr },
  );
}

function programOf(error: unknown): string {
  return error instanceof Error && 'path' in error && typeof error.path === 'string'
    ? error.path
    : 'the program';
}
