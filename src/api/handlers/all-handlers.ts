/** Creates the handlers of all routes, with what they need of the machine. */

import { findProblems } from '../../commands/diagnosis/find-problems.ts';
import { textOf } from '../../documents/decode.ts';
import type { OpenedHost } from '../../host/open-host.ts';
import type { HostOptions } from '../../host/host.ts';
import { logNameOf } from '../../host/wire-transports.ts';
import type { Machine } from '../../kernel/machine.ts';
import type { Problem } from '../../kernel/problems.ts';
import { realFiles } from '../../platform/files/files.ts';
import { findProgram } from '../../platform/processes/find-program.ts';
import { logFilePath } from '../../platform/files/log-file.ts';
import { readIdentity } from '../../platform/machine-facts.ts';
import { readTail } from '../../platform/files/read-log.ts';
import { findServer } from '../../roster/copies.ts';
import { loadRoster, type Roster } from '../../roster/load-roster.ts';
import { loadApprovals } from '../../trust/load-approvals.ts';
import type { Approvals } from '../../trust/trust-state.ts';
import { createTrustStore } from '../../trust/trust-store.ts';
import { createTrustDecisions } from '../trust-decisions.ts';
import { catalogHandlers } from './catalog.ts';
import type { Handlers } from './handler.ts';
import { loginHandlers, type ServerHandlerParts, serverHandlers } from './servers.ts';
import { serviceHandlers, type ServiceHandlerParts } from './service.ts';

export interface HandlerParts extends Omit<ServiceHandlerParts, 'host' | 'entryOf' | 'trust' | 'problems'> {
  readonly opened: OpenedHost;
  readonly machine: Machine;
  readonly hostOptions: HostOptions;
}

export function allHandlers(parts: HandlerParts): Handlers {
  const { opened, machine, hostOptions } = parts;
  const { host, supervisor } = opened;
  const store = hostOptions.stores?.trust ?? createTrustStore(machine, realFiles);
  const readApprovals = (): Approvals =>
    loadApprovals(machine, realFiles, { digests: hostOptions.trust?.digests ?? [], store });
  const readRoster = (): Promise<Roster> => {
    const approvals = readApprovals();
    const from = { machine, files: realFiles, identity: readIdentity(), approvals };
    return loadRoster({ agents: hostOptions.agents }, from);
  };
  const resolveProgram = (command: string, cwd: string): string | undefined =>
    findProgram(command, { os: machine.os, env: machine.env, cwd });
  const trust = createTrustDecisions({
    machine,
    files: realFiles,
    store,
    loadApprovals: readApprovals,
    loadRoster: readRoster,
    resolveProgram,
    now: () => new Date(),
  });
  const problems = (): Promise<readonly Problem[]> =>
    findProblems(opened.roster(), {
      machine,
      approvals: readApprovals,
      trustStore: store,
      editing: { files: realFiles },
      sharedHost: host,
      resolveProgram,
      readText: (file) => textOf(realFiles.load(file, 1 << 20)),
      now: () => new Date(),
    });
  const entryOf: ServerHandlerParts['entryOf'] = async (name) =>
    supervisor.connections.get(name)?.entry ?? findServer(await readRoster(), name);
  const readLog: ServerHandlerParts['readLog'] = async (definition, lines) => {
    const { text } = await readTail(logFilePath(machine.holtHome, logNameOf(definition)));
    return text === '' ? [] : text.replace(/\n$/, '').split('\n').slice(-lines);
  };
  return {
    ...serverHandlers({ host, entryOf, trust, readLog }),
    ...loginHandlers({ host, entryOf }),
    ...catalogHandlers(host),
    ...serviceHandlers({ ...parts, host, entryOf, trust, problems }),
  };
}
