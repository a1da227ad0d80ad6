/**
 * What a command is: `run` turns arguments into data, `render` turns data into lines, and `--json` prints the data.
 * The command line and the REPL share them, so nothing here touches a terminal.
 */

import type { AddParts } from '../editing/add-server.ts';
import type { Host, HostOptions } from '../host/host.ts';
import type { Interaction } from '../kernel/interaction.ts';
import type { Machine } from '../kernel/machine.ts';
import type { Clock } from '../platform/clock.ts';
import { escapeLine } from '../masking/escape-text.ts';
import type { Roster, RosterOptions } from '../roster/load-roster.ts';
import type { Style } from '../terminal/style.ts';
import type { Approvals } from '../trust/trust-state.ts';
import type { TrustStore } from '../trust/trust-store.ts';
import type { OpenRepl, OpenService } from './service-door.ts';

export interface OptionSpec {
  readonly type: 'flag' | 'value';
  /** One letter, without the dash. */
  readonly short?: string;
  /** Other spellings people bring from elsewhere. */
  readonly aliases?: readonly string[];
  readonly repeatable?: true;
  /** Words of this form that directly follow a value are further values: `-e A=1 B=2`. */
  readonly furtherValues?: RegExp;
  /** For options with a value that may be left out. */
  readonly valueOptional?: true;
  /** What a value stands for in the help, for example `DIR`. */
  readonly placeholder?: string;
  readonly summary: string;
  /** Known only to say what to use instead: neither help nor completion names it. */
  readonly hidden?: true;
  /** What the shell can complete the value with. */
  readonly completes?: 'agents' | 'scopes' | 'servers' | 'files' | readonly string[];
}

export interface CommandInput {
  readonly positionals: readonly string[];
  readonly flags: ReadonlySet<string>;
  /** Values of options; one that may stand once has at most one. */
  readonly values: Readonly<Record<string, readonly string[]>>;
  /** What stood after `--`, where the command keeps that apart. */
  readonly rest: readonly string[] | undefined;
}

/** What a command may use of the world. Tests pass literals. */
export interface CommandContext {
  readonly machine: Machine;
  readonly verbose: boolean;
  /** Reads all config files; at most once per run. */
  loadRoster(options?: RosterOptions): Promise<Roster>;
  /** Reads them again, after something was written. */
  reloadRoster(): Promise<Roster>;
  /** What may run, as of the last reading. */
  approvals(): Approvals;
  readonly trustStore: TrustStore;
  /** How to ask the person; empty where there is no terminal. */
  readonly interaction: Interaction;
  /** A plain question; undefined where there is no terminal. */
  readonly ask?: ((question: string) => Promise<string | undefined>) | undefined;
  /** Says something to the person before the command is done; silent with --json and --quiet. */
  tell(lines: readonly string[]): void;
  /** Says something beside the output, whatever that is; not even --quiet keeps it back. */
  readonly warn: (line: string) => void;
  /** A line on the terminal that the next one replaces; undefined takes it away. Nothing in a pipe. */
  progress(text: string | undefined): void;
  readonly clock: Clock;
  /**
   * Aborted by Ctrl-C; from the first call on, Ctrl-C no longer ends the process by itself. `endsByTerm` is for what runs
   * until it is told to end: then SIGTERM is its ordinary end.
   */
  interrupted(options?: { readonly endsByTerm?: boolean }): AbortSignal;
  /** Aborted when nobody reads the output any more: whatever would go on for its reader ends then. */
  readonly readerGone: AbortSignal;
  /** Closes what whoever started us left open, before anything is started. */
  closeInherited(): void;
  /** The host that runs already, where there is one: it is used, and stays open. */
  readonly sharedHost?: Host | undefined;
  /** How a host is opened for this command line. */
  hostOptions(): HostOptions;
  /** Starts the HTTP service; not there where a command cannot go on for long. */
  readonly openService?: OpenService | undefined;
  /** Starts a session; not there inside of one. */
  readonly openRepl?: OpenRepl | undefined;
  readonly style: Style;
  /** What writing config files needs. */
  readonly editing: AddParts;
  /** Where a command would be found. */
  readonly resolveProgram: (command: string, cwd: string) => string | undefined;
  /** Takes a file's rights from everybody but its owner; gives the mode it had. */
  readonly makePrivate: (file: string) => Promise<number>;
  /** The text of a small file; undefined when it cannot be read. */
  readonly readText: (file: string) => string | undefined;
  readonly now: () => Date;
  readonly version: string;
  /** All commands there are. */
  readonly commands: readonly CommandRow[];
}

/** What looking for problems needs of it; the service looks for them, too. */
export interface ProblemContext extends Pick<
  CommandContext,
  'machine' | 'approvals' | 'trustStore' | 'sharedHost' | 'resolveProgram' | 'readText' | 'now'
> {
  readonly editing: Pick<CommandContext['editing'], 'files'>;
}

/** A command that is loaded when it is called for. */
export interface CommandRow {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  /** A word from another command line, which the list of commands leaves out. */
  readonly synonym?: true;
  load(): Promise<Command>;
}

export interface Command<Data = unknown> {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly usage: string;
  readonly options: Readonly<Record<string, OptionSpec>>;
  /** How many words it takes at most, where the command does not see to that itself. */
  readonly mostWords?: 0 | 1;
  readonly completes?: 'servers' | 'tools' | 'commands' | 'files' | readonly string[];
  /** What follows one of its own words, such as `explain` in `policy explain TOOL`. */
  readonly completesAfter?: Readonly<Record<string, 'servers' | 'tools'>>;
  /** Its output is for people to read: in a terminal, lines that are too long wrap at blanks. */
  readonly wrapsLines?: true;
  /** What follows `--` comes as `rest`; for all others it is more words. */
  readonly keepsRest?: true;
  /** Options that the command does not have are words: arguments of the tool that is called. */
  readonly passesOptions?: true;
  /** True when everything after these words belongs to a program that is being named. */
  stopsAt?(positionals: readonly string[]): boolean;
  run(input: CommandInput, context: CommandContext): Promise<Data>;
  /** Text from files and servers goes through the escaper on its way into a line. */
  render(data: Data, style: Style): readonly string[];
  /** The document of `--json`, without its `schema`. */
  json(data: Data): Readonly<Record<string, unknown>>;
  /** 0 unless the command says that what was asked failed. */
  exitCode?(data: Data): number;
}

/** Keeps the type of `Data` between the three functions. */
export function defineCommand<Data>(command: Command<Data>): Command<Data> {
  return command;
}

/** One line each on stderr, also with --json, whose document has them as well. */
export function warnAll(warnings: readonly string[], { warn }: Pick<CommandContext, 'warn'>): void {
  for (const warning of warnings) warn(`warning: ${escapeLine(warning)}`);
}

/** The last value given for an option. */
export function valueOf(input: CommandInput, option: string): string | undefined {
  return input.values[option]?.at(-1);
}
