/** What commands get to work with: this machine, read once. */

import type { CommandContext, CommandInput } from '../commands/command.ts';
import { valueOf } from '../commands/command.ts';
import { commandTable } from '../commands/command-table.ts';
import type { Machine } from '../kernel/machine.ts';
import { realFiles } from '../platform/files.ts';
import { readIdentity, readMachine } from '../platform/machine-facts.ts';
import { loadRoster, type Roster, type RosterOptions } from '../roster/load-roster.ts';
import { loadApprovals } from '../trust/load-approvals.ts';

interface ContextIo {
  readonly version: string;
  readonly packageFolder: string;
  readonly nodePath: string;
}

export function createContext(input: CommandInput, io: ContextIo): CommandContext {
  const machine = readMachine({ cwd: valueOf(input, 'cwd'), home: valueOf(input, 'home') });
  const parts = { machine, files: realFiles, identity: readIdentity(), approvals: loadApprovals(machine, realFiles) };
  const load = async (options: RosterOptions = {}): Promise<Roster> => {
    const withExample: RosterOptions = { ...options, servers: { ...exampleServer(machine, io), ...options.servers } };
    if (input.flags.has('example')) return loadRoster(withExample, parts);
    const roster = await loadRoster(options, parts);
    const wanted = input.flags.has('example-if-empty') && roster.servers.length === 0;
    return wanted ? loadRoster(withExample, parts) : roster;
  };
  let roster: Promise<Roster> | undefined;
  return {
    machine,
    verbose: input.flags.has('verbose'),
    version: io.version,
    commands: commandTable,
    loadRoster: (options) => (roster ??= load(options)),
  };
}

/** The server that comes with holt, so that a newcomer has something to look at. */
function exampleServer({ path }: Machine, { packageFolder, nodePath }: ContextIo): Readonly<Record<string, unknown>> {
  return { example: { command: nodePath, args: [path.join(packageFolder, 'dist', 'example-server', 'server.js')] } };
}
