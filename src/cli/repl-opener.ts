/** Opens the session for `holt repl`. Each line typed there is a command line of its own on the same host. */

import { commandTable } from '../commands/command-table.ts';
import type { CommandInput, OpenRepl } from '../commands/command.ts';
import type { Machine } from '../kernel/machine.ts';
import type { Style } from '../terminal/style.ts';
import type { ContextIo } from './context-io.ts';
import { createInteraction } from './interaction.ts';
import type { Interrupts } from './interrupts.ts';

export interface ReplOpenerParts {
  readonly input: CommandInput;
  readonly io: ContextIo;
  readonly machine: Machine;
  readonly style: Style;
}

const takingServers: ReadonlySet<string> = new Set(
  'get show remove rm delete enable disable trust approve status test auth reauth logout unauth tools resources read prompts prompt logs pin'.split(
    ' ',
  ),
);

/** Undefined inside a session, because sessions cannot be nested. */
export function createReplOpener({ input, io, machine, style }: ReplOpenerParts): OpenRepl | undefined {
  const { runLine } = io;
  if (io.sharedHost !== undefined || runLine === undefined) return undefined;
  return async (openHost) => {
    const { startRepl } = await import('./long-running.ts');
    await startRepl({
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
  };
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
