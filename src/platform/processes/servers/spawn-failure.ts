/** Explains to users why a program could not be started. */

import fs from 'node:fs';

import { HoltError } from '../../../kernel/errors.ts';
import { errorCode } from '../../error-code.ts';

/** Temporary failures: the machine is out of a resource that other processes may free soon. */
export const passingCodes = new Set(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM']);

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
