/** Builds what transports need: the guardian process, leases on disk, a log per server, the network. */

import { setImmediate as nextTurn } from 'node:timers/promises';

import type { RemoteLogin } from '../auth/remote-login.ts';
import type { OpenTransport } from '../connection/supervisor.ts';
import { decodeText } from '../documents/decode.ts';
import type { Machine } from '../kernel/machine.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { Redactor } from '../masking/redactor.ts';
import type { Network } from '../network/create-network.ts';
import { createReceiveBudget } from '../network/receive-budget.ts';
import type { Clock } from '../platform/clock.ts';
import type { Files } from '../platform/files/files.ts';
import { createGuardian } from '../platform/processes/guardian.ts';
import { createLeases } from '../platform/processes/leases.ts';
import { createLogFile, logFileName, type LogFile } from '../platform/files/log-file.ts';
import type { RemotePlan } from '../secrets/launch-plan.ts';
import type { Settings } from '../settings/settings.ts';

export interface WireParts {
  readonly machine: Machine;
  readonly files: Files;
  readonly clock: Clock;
  readonly wallNow: () => number;
  readonly redactor: Redactor;
  /** The settings for a server, or the general ones. */
  readonly settingsOf: (definition: ServerDefinition | undefined) => Settings;
  /** The definition of a server that is being started. */
  readonly definitionOf: (ref: string) => ServerDefinition | undefined;
  readonly login: (plan: RemotePlan) => Promise<RemoteLogin | undefined>;
  readonly warn: (message: string) => void;
  readonly debug: (server: string, message: string) => void;
}

export interface WiredTransports {
  readonly open: OpenTransport;
  /** Created on first use. */
  readonly network: () => Promise<Network>;
  close(): Promise<void>;
}

/** The file name of a server's log. It does not depend on the name that a host gives the server. */
export function logNameOf({ name, origin }: ServerDefinition): string {
  return logFileName(name, JSON.stringify([origin.agent, origin.scope, origin.file, name]));
}

export function wireTransports(parts: WireParts): WiredTransports {
  const { machine, clock, wallNow, redactor, settingsOf, warn } = parts;
  const { holtHome, os } = machine;
  const guardian = createGuardian({ clock, onWarning: warn });
  const leases = createLeases({ holtHome, os, wallNow, onWarning: warn });
  const logs = new Map<string, LogFile>();
  const budget = createReceiveBudget(() => settingsOf(undefined).limits.inFlightBytes);
  let network: Promise<Network> | undefined;
  let swept: Promise<unknown> | undefined;

  const logOf = (ref: string): LogFile => {
    const definition = parts.definitionOf(ref);
    const name = definition === undefined ? logFileName(ref, ref) : logNameOf(definition);
    const known = logs.get(name) ?? createLogFile({ holtHome, os, name, redactor, onWarning: warn });
    logs.set(name, known);
    return known;
  };
  const openNetwork = async (): Promise<Network> => {
    const { createNetwork } = await import('../network/create-network.ts');
    return createNetwork({
      env: machine.env,
      options: settingsOf(undefined).network,
      readText: (file) => readText(file, parts),
      clock,
      wallNow,
    });
  };
  const theNetwork = (): Promise<Network> => (network ??= openNetwork());
  return {
    network: theNetwork,
    open: async (plan, kind) => {
      const [{ openTransport }, { stdioLimits, stopSteps }] = await Promise.all([
        import('../transports/open-transport.ts'),
        import('../transports/stdio.ts'),
      ]);
      // Clean up after earlier runs while the first program starts, so that the start does not wait for it.
      if (plan.kind === 'stdio') swept ??= nextTurn().then(() => leases.sweepStale());
      const { messageBytes, messageNodes } = settingsOf(parts.definitionOf(plan.server)).limits;
      const limits = { messageBytes, messageNodes };
      const account = budget.openAccount();
      const stdio = {
        guardian,
        leases,
        clock,
        log: logOf(plan.server),
        limits: { ...stdioLimits, ...limits },
        account,
        stop: stopSteps,
        debug: (message: string) => parts.debug(plan.server, message),
      };
      const as = kind === 'http' || kind === 'sse' ? { as: kind } : {};
      const fileOf = (ref: string): string | undefined => parts.definitionOf(ref)?.origin.file;
      const { login } = parts;
      const shared = { stdio, network: theNetwork, clock, wallNow, limits, account, login, fileOf };
      return openTransport(plan, shared, as);
    },
    close: async () => {
      await Promise.all([swept, guardian.close(), ...[...logs.values()].map((log) => log.close())]);
    },
  };
}

const maxBytes = 1 << 20;

function readText(file: string, { files }: WireParts): string {
  const outcome = files.load(file, maxBytes);
  if (outcome.kind === 'file') return decodeText(outcome.bytes).text;
  throw new Error(
    {
      missing: 'it is not there',
      'not-regular': 'it is not a regular file',
      'too-large': 'it is too large',
      unreadable: 'it cannot be read',
    }[outcome.kind],
  );
}
