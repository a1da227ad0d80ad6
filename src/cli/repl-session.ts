/** Runs the session of `holt repl`. Each line typed there is a command line of its own on the same host. */

import { commandTable } from '../commands/command-table.ts';
import type { CommandInput, OpenRepl } from '../commands/command.ts';
import type { Machine } from '../kernel/machine.ts';
import { startRepl } from '../repl/start-repl.ts';
import type { Style } from '../terminal/style.ts';
import type { ContextIo } from './context-io.ts';
import { createInteraction } from './interaction.ts';
import type { Interrupts } from './interrupts.ts';

export interface ReplSessionParts {
  readonly input: CommandInput;
  readonly io: ContextIo;
  readonly runLine: NonNullable<ContextIo['runLine']>;
  readonly machine: Machine;
  readonly style: Style;
}

const takingServers: ReadonlySet<string> = new Set(
  'get show remove rm delete enable disable trust approve status test auth reauth logout unauth tools resources read prompts prompt logs pin'.split(
    ' ',
  ),
);

export function runReplSession(
  openHost: Parameters<OpenRepl>[0],
  { input, io, runLine, machine, style }: ReplSessionParts,
): Promise<void> {
  return startRepl({
    machine,
    style,
    commands: commandTable
      .flatMap(({ name, aliases }) => [name, ...aliases])
      .map((name) => ({ name, takesServer: takingServers.has(name) })),
    openHost: (person) =>
      openHost({
        interaction: createInteraction({ ...io, ...person, os: machine.os, say: person.out }),
      }),
    run: (words, { host, person, signal }) =>
      runLine([...placeWords(input), ...words], {
        ...io,
        ...person,
        askLong: person.askLine,
        // The session wraps its output itself.
        errorColumns: undefined,
        sharedHost: host,
        interrupts: lineInterrupts(signal),
      }),
    ended: io.interrupts.signal(),
  });
}

/** The options for where to find servers apply to every line. */
function placeWords({ values, flags }: CommandInput): readonly string[] {
  const given = ['cwd', 'home', 'trust-digest'].flatMap((name) =>
    (values[name] ?? []).map((value) => `--${name}=${value}`),
  );
  return flags.has('example') ? [...given, '--example'] : given;
}

/** Ctrl-C ends the line, not the session. */
function lineInterrupts(signal: AbortSignal): Interrupts {
  return {
    signal: () => signal,
    raised: signal,
    interrupt: () => undefined,
    wasInterrupted: () => signal.aborted,
    endsByTerm: () => undefined,
    onSecond: () => undefined,
    dispose: () => undefined,
  };
}
