/**
 * Fetches the values that a definition needs before it can start: runs commands, reads files and asks people.
 * Each once.
 */

import { commandsIn, filesIn, inputsIn } from '../dialects/mentions.ts';
import { HoltError } from '../kernel/errors.ts';
import type { Interaction } from '../kernel/interaction.ts';
import type { Machine } from '../kernel/machine.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { splitWords } from '../kernel/shell-words.ts';
import type { Files } from '../platform/files/files.ts';
import { findProgram } from '../platform/processes/find-program.ts';
import type { CommandLine, RunCommand } from '../platform/processes/run-command.ts';
import type { TrustedServer } from '../trust/trust-gate.ts';
import { inheritedEnvironment } from './child-environment.ts';

export interface SourceParts {
  readonly machine: Machine;
  readonly files: Files;
  readonly runCommand: RunCommand;
  readonly cache: SecretCache;
  readonly askSecret?: Interaction['askSecret'] | undefined;
  /** Returns the token of a stored login that a program gets. */
  readonly accessToken?: ((credentialId: string) => Promise<string | undefined>) | undefined;
}

export interface FetchedValues {
  readonly commands: ReadonlyMap<string, string>;
  readonly files: ReadonlyMap<string, string>;
  readonly inputs: ReadonlyMap<string, string>;
}

const commandTimeoutMs = 10_000;
const maxValueBytes = 64 << 10;

export async function fetchValues(server: TrustedServer, parts: SourceParts): Promise<FetchedValues> {
  const commands = commandsIn(server).filter(({ path }) => path[0] !== 'headersHelper');
  const files = filesIn(server).map(
    ({ file, path }) => [file, fileValue(server, file, path.join('.'), parts)] as const,
  );
  const ran = Promise.all(
    commands.map(
      async ({ line, shell, path }) =>
        [line, await commandValue(server, commandLine(line, shell), path.join('.'), parts)] as const,
    ),
  );
  const [values, inputs] = await Promise.all([ran, askInputs(server, parts)]);
  return { commands: new Map(values), files: new Map(files), inputs };
}

function commandLine(line: string, shell: boolean): CommandLine {
  if (shell) return { kind: 'shell', line };
  const [program = '', ...args] = splitWords(line) ?? [];
  return { kind: 'program', program, args };
}

/**
 * Returns what a command prints, trimmed. Empty output is a failure, so that it never becomes an empty
 * header.
 */
export async function commandValue(
  server: TrustedServer,
  command: CommandLine,
  field: string,
  parts: SourceParts,
): Promise<string> {
  return parts.cache.once(cacheKey(server, command), async () => {
    const { machine } = parts;
    // A project's command gets the same environment as its program, and relative names mean the project.
    const cwd = server.guarded ? machine.projectRoot : machine.homeDir;
    const env = inheritedEnvironment(server, machine);
    const outcome = await parts.runCommand(located(command, { os: machine.os, env, cwd }), {
      cwd,
      env,
      timeoutMs: commandTimeoutMs,
      maxBytes: maxValueBytes,
    });
    if (outcome.kind === 'failed') throw commandFailed(server, field, outcome.reason);
    const value = outcome.text.trim();
    if (value === '') throw commandFailed(server, field, 'it printed nothing');
    return value;
  });
}

/** Looks up the program, but never in the folder it starts in. Leaves a program that is not found to fail. */
function located(command: CommandLine, search: Parameters<typeof findProgram>[1]): CommandLine {
  if (command.kind === 'shell') return command;
  return { ...command, program: findProgram(command.program, search) ?? command.program };
}

function cacheKey({ name, origin }: ServerDefinition, command: CommandLine): string {
  return JSON.stringify([origin.file, name, command]);
}

/** Call this after a server responded with 401: its commands run again the next time. */
export function dropCommandValues(server: ServerDefinition, cache: SecretCache): void {
  cache.drop(commandsIn(server).map(({ line, shell }) => cacheKey(server, commandLine(line, shell))));
}

function commandFailed(
  { name }: TrustedServer,
  field: string,
  reason: string,
): HoltError<'secret-unresolved'> {
  const message = `The command for "${field}" of server "${name}" failed: ${reason}`;
  const remedy = 'Run the command by hand and see what it says.';
  return new HoltError('secret-unresolved', message, { server: name, field, reason }, { remedy });
}

const fileReasons = {
  missing: 'it is not there',
  'not-regular': 'it is not a regular file',
  'too-large': 'it is over 64 KiB',
  unreadable: 'it cannot be read',
} as const;

/** Returns the folder of the definition's file, or the host's working folder if no file defines it. */
function folderOf({ origin: { file } }: TrustedServer, { cwd, path }: SourceParts['machine']): string {
  return file === '' ? cwd : path.dirname(file);
}

function fileValue(
  server: TrustedServer,
  file: string,
  field: string,
  { machine, files }: SourceParts,
): string {
  const { path } = machine;
  const isInHome = /^~(?:[\\/]|$)/.test(file);
  const place = isInHome
    ? path.join(machine.homeDir, file.slice(1))
    : path.resolve(folderOf(server, machine), file);
  const outcome = files.load(place, maxValueBytes);
  if (outcome.kind === 'file') return Buffer.from(outcome.bytes).toString('utf8').trim();
  const reason = fileReasons[outcome.kind];
  const message = `The file for "${field}" of server "${server.name}" is not used: ${reason}`;
  throw new HoltError(
    'secret-unresolved',
    message,
    { server: server.name, field, reason },
    { remedy: `Look at ${place}.` },
  );
}

async function askInputs(
  server: TrustedServer,
  { askSecret, cache }: SourceParts,
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(inputsIn(server).map(({ id }) => id))];
  const answers = await Promise.all(
    ids.map((id) => {
      const question = server.inputs?.find((input) => input.id === id);
      const fallback = question?.fallback;
      return cache.answer(JSON.stringify([server.origin.file, id]), async () => {
        if (askSecret === undefined) return fallback;
        const answer = await askSecret({
          label: question?.description ?? id,
          password: question?.password ?? true,
        });
        // An empty answer accepts the default from the file.
        return answer === '' ? (fallback ?? answer) : answer;
      });
    }),
  );
  const missing = ids.filter((_, index) => answers[index] === undefined);
  if (missing.length === 0) return new Map(ids.map((id, index) => [id, answers[index] ?? '']));
  const message = `Server "${server.name}" needs input: ${missing.join(', ')}`;
  throw new HoltError(
    'secret-input-needed',
    message,
    { server: server.name, inputs: missing },
    { remedy: 'Run it at a terminal, so that holt can ask you.' },
  );
}

/** Caches values that are costly to get, for a limited time and only in memory. */
export interface SecretCache {
  /**
   * Returns the value of a command. Caches it for five minutes, and shares one run among simultaneous
   * callers.
   */
  once(key: string, get: () => Promise<string>): Promise<string>;
  /**
   * Returns a person's answer. Asks one question at a time, and stores answers as long as the cache lives,
   * but not a missing answer.
   */
  answer(key: string, ask: () => Promise<string | undefined>): Promise<string | undefined>;
  /**
   * Drops these command values, for example after a server responded with 401; all of them without `keys`.
   */
  drop(keys?: readonly string[]): void;
}

const maxAgeMs = 5 * 60_000;

export function createSecretCache(now: () => number): SecretCache {
  const values = new Map<string, { readonly at: number; readonly value: Promise<string> }>();
  const answers = new Map<string, string>();
  let turn: Promise<unknown> = Promise.resolve();
  return {
    once: (key, get) => {
      const known = values.get(key);
      if (known !== undefined && now() - known.at < maxAgeMs) return known.value;
      const entry = { at: now(), value: get() };
      values.set(key, entry);
      // Do not cache a failure, but do not remove a newer value that replaced it.
      entry.value.catch(() => values.get(key) === entry && values.delete(key));
      return entry.value;
    },
    answer: (key, ask) => {
      const asked = turn.then(async () => {
        const known = answers.get(key);
        if (known !== undefined) return known;
        const answer = await ask();
        if (answer !== undefined) answers.set(key, answer);
        return answer;
      });
      turn = asked.catch(() => undefined);
      return asked;
    },
    drop: (keys) => {
      if (keys === undefined) values.clear();
      else for (const key of keys) values.delete(key);
    },
  };
}
