/** Creates the context for commands: the facts of this machine, read once, and the person at the terminal. */

import { valueOf, type CommandContext, type CommandInput } from '../commands/command.ts';
import { commandTable } from '../commands/command-table.ts';
import { textOf } from '../documents/decode.ts';
import { HoltError } from '../kernel/errors.ts';
import type { Interaction } from '../kernel/interaction.ts';
import type { Machine } from '../kernel/machine.ts';
import { escapeLine } from '../masking/escape-text.ts';
import { realClock } from '../platform/clock.ts';
import { realFiles } from '../platform/files/files.ts';
import { findProgram } from '../platform/processes/find-program.ts';
import { closeInheritedDescriptors } from '../platform/processes/inherited-descriptors.ts';
import { makePrivate } from '../platform/files/private-file.ts';
import { readIdentity, readMachine } from '../platform/machine-facts.ts';
import { loadRoster, type Roster, type RosterOptions } from '../roster/load-roster.ts';
import type { StdioServerConfig } from '../roster/server-config.ts';
import { openPersistentStore } from '../secrets/credential-stores.ts';
import { createStyle, type Style } from '../terminal/style.ts';
import { loadApprovals, requireDigests } from '../trust/load-approvals.ts';
import type { Approvals } from '../trust/trust-state.ts';
import { createTrustStore } from '../trust/trust-store.ts';
import { errorText, type ContextIo } from './context-io.ts';
import { createInteraction } from './interaction.ts';
import { createProgressLine } from './progress-line.ts';

export function createContext(input: CommandInput, given: ContextIo): CommandContext {
  const { show: progress, io } = createProgressLine(input, given);
  const { machine, home } = machineFor(input);
  const trustStore = createTrustStore(machine, realFiles);
  const digests = requireDigests(input.values['trust-digest'] ?? []);
  const readApprovals = (): Approvals => loadApprovals(machine, realFiles, { digests, store: trustStore });
  let approvals = readApprovals();
  const load = async (options: RosterOptions = {}): Promise<Roster> => {
    const parts = { machine, files: realFiles, identity: readIdentity(), approvals };
    if (!input.flags.has('example')) return loadRoster(options, parts);
    return loadRoster({ ...options, servers: { ...exampleServer(machine, io), ...options.servers } }, parts);
  };
  const interaction = interactionFor(input, io, machine);
  const style = styleFor(io);
  let roster: Promise<Roster> | undefined;
  const rosterOnce = (options?: RosterOptions): Promise<Roster> => (roster ??= load(options));
  return {
    machine,
    verbose: input.flags.has('verbose'),
    version: io.version,
    commands: commandTable,
    loadRoster: rosterOnce,
    reloadRoster: () => {
      approvals = readApprovals();
      return (roster = load());
    },
    approvals: () => approvals,
    trustStore,
    interaction,
    ask: io.askLine,
    print: (lines) => {
      if (lines.length > 0 && !input.flags.has('json') && !input.flags.has('quiet'))
        io.out(`${lines.join('\n')}\n`);
    },
    warn: (line) => io.error(errorText([line], io)),
    progress,
    clock: realClock,
    editing: editingOf(machine, rosterOnce),
    interrupted: (how) => interrupted(io, how),
    readerGone: io.readerGone,
    closeInherited: closeInheritedDescriptors,
    sharedHost: io.sharedHost,
    ...longRunning(input, io, { machine, style }),
    style,
    hostOptions: () => ({
      cwd: machine.cwd,
      home,
      trust: { digests },
      interaction,
      pinning: 'withhold',
      ...(input.flags.has('example') ? { servers: exampleServer(machine, io) } : {}),
    }),
    resolveProgram: (command, cwd) => findProgram(command, { os: machine.os, env: machine.env, cwd }),
    makePrivate,
    readText,
    now: () => new Date(),
  };
}

/**
 * What runs until it is stopped. Loaded on demand, so that no other command carries its code. Inside a session there is
 * neither.
 */
function longRunning(
  input: CommandInput,
  io: ContextIo,
  parts: { readonly machine: Machine; readonly style: Style },
): Pick<CommandContext, 'openService' | 'openRepl'> {
  const { runLine, version } = io;
  if (io.sharedHost !== undefined) return {};
  // Errors while serving are reported only at the terminal, not to clients.
  const onFault = (fault: unknown): void =>
    io.error(`${escapeLine(fault instanceof Error ? fault.message : String(fault))}\n`);
  return {
    openService: async (request) => {
      const { openService } = await import('../api/open-service.ts');
      return openService({ ...request, version, onFault });
    },
    openRepl:
      runLine &&
      (async (openHost) => {
        const { runReplSession } = await import('./repl-session.ts');
        await runReplSession(openHost, { input, io, runLine, ...parts });
      }),
  };
}

export function styleFor({ isTerminal, env, columns }: ContextIo): Style {
  return createStyle({ isTerminal, env, columns: columns?.() });
}

function interactionFor(input: CommandInput, io: ContextIo, { os }: Machine): Interaction {
  return createInteraction({ ...io, os, say: input.flags.has('json') ? io.error : io.out });
}

function editingOf(machine: Machine, loaded: () => Promise<Roster>): CommandContext['editing'] {
  return {
    machine,
    files: realFiles,
    now: Date.now,
    // Created on demand, because most commands do not need it.
    get credentials() {
      return openPersistentStore(async () => (await loaded()).settings.settings.credentialStore, machine);
    },
  };
}

function interrupted(
  { interrupts }: ContextIo,
  { endsByTerm = false }: { readonly endsByTerm?: boolean } = {},
): AbortSignal {
  if (endsByTerm) interrupts.endsByTerm();
  return interrupts.signal();
}

function readText(file: string): string | undefined {
  return textOf(realFiles.load(file, 1 << 20));
}

function machineFor(input: CommandInput): { readonly machine: Machine; readonly home: string | undefined } {
  const home = askedFolder(input, 'home');
  return { machine: readMachine({ cwd: askedFolder(input, 'cwd'), home }), home };
}

/**
 * Rejects a folder that does not exist, because it would look like one without servers. An empty value
 * usually comes from an unset variable.
 */
function askedFolder(input: CommandInput, option: 'cwd' | 'home'): string | undefined {
  const asked = valueOf(input, option);
  if (asked === undefined) return undefined;
  const found = realFiles.load(asked, 0);
  if (found.kind === 'not-regular' && found.what === 'a folder') return asked;
  throw new HoltError(
    'usage-invalid',
    asked === '' ? `--${option} names no folder` : `${asked} is not an existing folder`,
    { given: asked },
    { remedy: `Check --${option}.` },
  );
}

/** The server that is included with holt, so that a new user has something to try. */
function exampleServer(
  { path }: Machine,
  { distFolder, nodePath }: ContextIo,
): Readonly<Record<string, StdioServerConfig>> {
  return { example: { command: nodePath, args: [path.join(distFolder, 'example-server', 'server.js')] } };
}
