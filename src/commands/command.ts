/**
 * The interface of a command: `run` turns arguments into data, `render` turns data into lines, and `--json`
 * prints the data. The command line and the REPL share commands, so nothing here accesses a terminal.
 */

import type { AddParts } from '../editing/add-server.ts';
import type { Host, HostOptions } from '../host/host.ts';
import { HoltError } from '../kernel/errors.ts';
import type { OpenedHost } from '../host/open-host.ts';
import type { Interaction } from '../kernel/interaction.ts';
import type { Machine } from '../kernel/machine.ts';
import { escapeLine } from '../masking/escape-text.ts';
import type { Clock } from '../platform/clock.ts';
import type { Roster, RosterOptions } from '../roster/load-roster.ts';
import type { Style } from '../terminal/style.ts';
import type { Approvals } from '../trust/trust-state.ts';
import type { TrustStore } from '../trust/trust-store.ts';

export interface OptionSpec {
  readonly type: 'flag' | 'value';
  /** One letter, without the dash. */
  readonly short?: string;
  /** Names of this option in other tools. */
  readonly aliases?: readonly string[];
  readonly repeatable?: true;
  /** Words that match this directly after a value are further values: `-e A=1 B=2`. */
  readonly furtherValues?: RegExp;
  /** The value may be left out. */
  readonly valueOptional?: true;
  /** The name of the value in the help, for example `DIR`. */
  readonly placeholder?: string;
  readonly summary: string;
  /** Accepted only to report what to use instead. Help and completion omit it. */
  readonly hidden?: true;
  /** What the shell completes the value with. */
  readonly completes?: 'agents' | 'scopes' | 'servers' | 'files' | readonly string[];
}

export interface CommandInput {
  readonly positionals: readonly string[];
  readonly flags: ReadonlySet<string>;
  /** The values of options. An option that is not repeatable has at most one. */
  readonly values: Readonly<Record<string, readonly string[]>>;
  /** The words after `--`, for commands that handle them separately. */
  readonly rest: readonly string[] | undefined;
}

/** Everything that a command may access. Tests pass literals. */
export interface CommandContext {
  readonly machine: Machine;
  readonly verbose: boolean;
  /** Reads all config files, at most once per run. */
  loadRoster(options?: RosterOptions): Promise<Roster>;
  /** Reads all config files again, after a change. */
  reloadRoster(): Promise<Roster>;
  /** The approvals, as of the last read. */
  approvals(): Approvals;
  readonly trustStore: TrustStore;
  /** The callbacks that ask the user. Empty without a terminal. */
  readonly interaction: Interaction;
  /** Asks a question. Undefined without a terminal. */
  readonly ask?: ((question: string) => Promise<string | undefined>) | undefined;
  /** Prints lines before the command ends. Silent with --json and --quiet. */
  print(lines: readonly string[]): void;
  /** Prints a warning separately from the output, even with --quiet. */
  readonly warn: (line: string) => void;
  /**
   * Shows a line on the terminal that the next one replaces; undefined removes it. Does nothing in a pipe.
   */
  progress(text: string | undefined): void;
  readonly clock: Clock;
  /**
   * Returns a signal that Ctrl-C aborts. From the first call on, Ctrl-C does not end the process by itself.
   * With `endsByTerm` SIGTERM aborts it too, for commands that run until they are stopped.
   */
  interrupted(options?: { readonly endsByTerm?: boolean }): AbortSignal;
  /** Aborted when the reader of the output is gone, for commands that continue only for it. */
  readonly readerGone: AbortSignal;
  /** Closes files that the parent process left open, before a server starts. */
  closeInherited(): void;
  /** The host of the session, if there is one. Commands use it and leave it open. */
  readonly sharedHost?: Host | undefined;
  /** The options to open a host with for this command line. */
  hostOptions(): HostOptions;
  /** Starts the HTTP service. Undefined where a command cannot keep running. */
  readonly openService?: OpenService | undefined;
  /** Starts a session. Undefined inside a session. */
  readonly openRepl?: OpenRepl | undefined;
  readonly style: Style;
  /** What editing config files needs. */
  readonly editing: AddParts;
  /** Returns the path of a program. Undefined if it is not found. */
  readonly resolveProgram: (command: string, cwd: string) => string | undefined;
  /** Makes a file accessible only to its owner. Resolves to its previous mode. */
  readonly makePrivate: (file: string) => Promise<number>;
  /** Returns the text of a small file. Undefined if it cannot be read. */
  readonly readText: (file: string) => string | undefined;
  readonly now: () => Date;
  readonly version: string;
  /** All commands. */
  readonly commands: readonly CommandRow[];
}

/** The part of the context that the search for problems needs. The service uses it too. */
export interface ProblemContext extends Pick<
  CommandContext,
  'machine' | 'approvals' | 'trustStore' | 'sharedHost' | 'resolveProgram' | 'readText' | 'now'
> {
  readonly editing: Pick<CommandContext['editing'], 'files'>;
}

/** A command that is loaded on first use. */
export interface CommandRow {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  /** A name from another tool, which the list of commands omits. */
  readonly synonym?: true;
  load(): Promise<Command>;
}

export interface Command<Data = unknown> {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly usage: string;
  readonly options: Readonly<Record<string, OptionSpec>>;
  /** The maximum number of words, unless the command checks that itself. */
  readonly mostWords?: 0 | 1;
  readonly completes?: 'servers' | 'tools' | 'commands' | 'files' | readonly string[];
  /** Completions after one of its own words, such as `explain` in `policy explain TOOL`. */
  readonly completesAfter?: Readonly<Record<string, 'servers' | 'tools'>>;
  /** The output is for people: a terminal wraps long lines at spaces. */
  readonly wrapsLines?: true;
  /** Passes the words after `--` as `rest`. Other commands get them as more words. */
  readonly keepsRest?: true;
  /** Unknown options are passed as words, because they are arguments of the called tool. */
  readonly passesOptions?: true;
  /** True if all following words belong to the program that is being named. */
  stopsAt?(positionals: readonly string[]): boolean;
  run(input: CommandInput, context: CommandContext): Promise<Data>;
  /** Returns the output. Must escape text from files and servers. */
  render(data: Data, style: Style): readonly string[];
  /** Returns the document of `--json`, without its `schema`. */
  json(data: Data): Readonly<Record<string, unknown>>;
  /** Returns the exit code. 0 if left out. */
  exitCode?(data: Data): number;
}

/** Infers one `Data` type for `run`, `render` and `json`. */
export function defineCommand<Data>(command: Command<Data>): Command<Data> {
  return command;
}

/** Prints one line each to stderr, also with --json, whose document repeats them. */
export function warnAll(warnings: readonly string[], { warn }: Pick<CommandContext, 'warn'>): void {
  for (const warning of warnings) warn(`warning: ${escapeLine(warning)}`);
}

/** Returns the last value of an option. */
export function valueOf(input: CommandInput, option: string): string | undefined {
  return input.values[option]?.at(-1);
}

export interface ServiceRequest {
  readonly at:
    | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
    | { readonly kind: 'socket'; readonly path: string };
  /** A token that the user chose. Undefined to create one. */
  readonly token: string | undefined;
  readonly host: HostOptions;
  readonly openHost: (options: HostOptions) => Promise<OpenedHost>;
}

export interface RunningService {
  readonly host: Host;
  readonly url: string;
  /** The file that holds the token. */
  readonly runFile: string;
  /** Returns the URL of the API page with a new one-time code. */
  link(): string;
  /** Answers pending requests, then stops. */
  close(): Promise<void>;
}

export type OpenService = (request: ServiceRequest) => Promise<RunningService>;

/** Opens a session. The session provides the callbacks that ask a person, and opens the host with them. */
export type OpenRepl = (
  openHost: (person: Pick<HostOptions, 'interaction'>) => Promise<Host>,
) => Promise<void>;

/** Whether an answer means yes, for questions where Enter means no. */
export function isYes(answer: string | undefined): boolean {
  return ['y', 'yes'].includes(answer?.trim().toLowerCase() ?? '');
}

/** An error of the command line's own words. */
export function usage(message: string, remedy: string, given = ''): HoltError<'usage-invalid'> {
  return new HoltError('usage-invalid', message, { given }, { remedy });
}

/** Returns the only positional. Throws `usage-invalid` without one, or with more. */
export function oneName({ positionals }: CommandInput, command: string): string {
  const [name, ...extra] = positionals;
  if (name !== undefined && extra.length === 0) return name;
  throw usage(`holt ${command} takes one name`, `Write holt ${command} NAME.`, extra.join(' '));
}
