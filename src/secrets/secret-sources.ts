/** Values that have to be fetched before a definition can start: commands run, files read, people asked. Each once. */

import { commandsIn, filesIn, inputsIn } from '../dialects/mentions.ts';
import { HoltError } from '../kernel/errors.ts';
import { splitWords } from '../kernel/shell-words.ts';
import type { Machine } from '../kernel/machine.ts';
import type { Files } from '../platform/files.ts';
import type { CommandLine, RunCommand } from '../platform/run-command.ts';
import type { TrustedServer } from '../trust/trust-gate.ts';
import type { SecretCache } from './secret-cache.ts';

export interface SourceParts {
  readonly machine: Machine;
  readonly files: Files;
  readonly runCommand: RunCommand;
  readonly cache: SecretCache;
  readonly askSecret?: ((prompt: { readonly label: string; readonly password: boolean }) => Promise<string | undefined>) | undefined;
}

export interface FetchedValues {
  readonly commands: ReadonlyMap<string, string>;
  readonly files: ReadonlyMap<string, string>;
  readonly inputs: ReadonlyMap<string, string>;
}

export const commandTimeoutMs = 10_000;
export const maxValueBytes = 64 << 10;

export async function fetchValues(server: TrustedServer, parts: SourceParts): Promise<FetchedValues> {
  const helper = server.launch.kind === 'stdio' ? undefined : server.launch.headersHelper;
  const commands = commandsIn(server).filter(({ line }) => line !== helper);
  const [ran, asked] = await Promise.all([
    Promise.all(
      commands.map(async ({ line, shell, path }) => {
        const command: CommandLine = shell ? { kind: 'shell', line } : programOf(line);
        return [line, await commandValue(server, command, path.join('.'), parts)] as const;
      }),
    ),
    askInputs(server, parts),
  ]);
  const files = filesIn(server).map(({ file, path }) => [file, fileValue(server, file, path.join('.'), parts)] as const);
  return { commands: new Map(ran), files: new Map(files), inputs: asked };
}

function programOf(line: string): CommandLine {
  const [program = '', ...args] = splitWords(line) ?? [line];
  return { kind: 'program', program, args };
}

/** What a command prints, trimmed. An empty or many-lined value is a failure: it never becomes an empty header. */
export async function commandValue(server: TrustedServer, command: CommandLine, field: string, parts: SourceParts): Promise<string> {
  const key = JSON.stringify([server.origin.file, command]);
  const text = await parts.cache.once(key, async () => {
    const { machine } = parts;
    const env = Object.fromEntries(Object.entries(machine.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
    const outcome = await parts.runCommand(command, { cwd: machine.homeDir, env, timeoutMs: commandTimeoutMs, maxBytes: maxValueBytes });
    if (outcome.kind === 'failed') throw commandFailed(server, field, outcome.reason);
    const value = outcome.text.trim();
    if (value === '') throw commandFailed(server, field, 'it printed nothing');
    return value;
  });
  return text;
}

function commandFailed({ name }: TrustedServer, field: string, reason: string): HoltError {
  return new HoltError('secret-unresolved', `The command for "${field}" of server "${name}" failed: ${reason}`, { server: name, field, reason }, {
    remedy: 'Run the command by hand and see what it says.',
  });
}

function fileValue(server: TrustedServer, file: string, field: string, { machine, files }: SourceParts): string {
  const { path } = machine;
  const home = file === '~' || file.startsWith('~/');
  const place = home ? path.join(machine.homeDir, file.slice(2)) : path.resolve(path.dirname(server.origin.file), file);
  const outcome = files.load(place, maxValueBytes);
  if (outcome.kind === 'file') return Buffer.from(outcome.bytes).toString('utf8').trim();
  const reason = { missing: 'it is not there', 'not-regular': 'it is not a regular file', 'too-large': 'it is over 64 KiB', unreadable: 'it cannot be read' }[outcome.kind];
  throw new HoltError('secret-unresolved', `The file for "${field}" of server "${server.name}" is not used: ${reason}`, { server: server.name, field, reason }, {
    remedy: `Look at ${place}.`,
  });
}

async function askInputs(server: TrustedServer, { askSecret, cache }: SourceParts): Promise<ReadonlyMap<string, string>> {
  const answers = new Map<string, string>();
  const missing: string[] = [];
  // One after the other: a person answers one question at a time.
  for (const { id } of inputsIn(server)) {
    if (answers.has(id)) continue;
    const question = server.inputs?.find((input) => input.id === id);
    const label = question?.description ?? id;
    const answer = await cache.answer(JSON.stringify([server.origin.file, 'input', id]), () =>
      askSecret === undefined ? Promise.resolve(question?.fallback) : askSecret({ label, password: question?.password ?? true }),
    );
    if (answer === undefined) missing.push(id);
    else answers.set(id, answer);
  }
  if (missing.length === 0) return answers;
  throw new HoltError('secret-input-needed', `Server "${server.name}" needs input: ${missing.join(', ')}`, { server: server.name, inputs: missing }, {
    remedy: 'Start it where holt can ask you.',
  });
}
