/** Fixture servers over standard streams in a temporary home; all of them end when the test ends. */

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { Client } from '@modelcontextprotocol/client';

import { SecretValue, createRedactor, type Redactor } from '../../src/masking/redactor.ts';
import { realClock } from '../../src/platform/clock.ts';
import { createGuardian, type Guardian } from '../../src/platform/processes/guardian.ts';
import { createLeases, type Leases } from '../../src/platform/processes/leases.ts';
import { createLogFile, logFileName, type LogFile } from '../../src/platform/files/log-file.ts';
import {
  createStdioTransport,
  stdioLimits,
  stopSteps,
  type StdioParts,
  type StdioTransport,
} from '../../src/transports/stdio.ts';
import type { LaunchPlan, StdioPlan } from '../../src/secrets/launch-plan.ts';
import { openAccount } from './receive-accounts.ts';
import { hostSystem } from '../fixtures/programs/start-program.ts';

export const serverFolder = path.join(import.meta.dirname, '..', 'fixtures', 'servers');

/** An environment variable of every process that a fixture starts. */
export const markName = 'HOLT_TEST_MARK';

export interface StdioFixture extends AsyncDisposable {
  readonly home: string;
  readonly mark: string;
  readonly guardian: Guardian;
  readonly leases: Leases;
  readonly redactor: Redactor;
  readonly warnings: string[];
  plan(server: string, args?: readonly string[], more?: Partial<StdioPlan>): StdioPlan & LaunchPlan;
  log(server: string): LogFile;
  transport(server: string, args?: readonly string[], more?: TransportOptions): StdioTransport;
}

export interface TransportOptions extends Partial<StdioParts> {
  readonly plan?: Partial<StdioPlan>;
}

/** A fixture inside another process shares its home and mark with the test, which cleans up. */
export interface SharedFixture {
  readonly home: string;
  readonly mark: string;
}

export async function openStdioFixture(shared?: SharedFixture): Promise<StdioFixture> {
  const home = shared?.home ?? (await mkdtemp(path.join(os.tmpdir(), 'holt-stdio-')));
  const mark = shared?.mark ?? randomBytes(8).toString('hex');
  const warnings: string[] = [];
  const onWarning = (message: string): void => void warnings.push(message);
  const guardian = createGuardian({ onWarning });
  const leases = createLeases({ holtHome: home, os: hostSystem, wallNow: Date.now, onWarning });
  const redactor = createRedactor();
  const transports: StdioTransport[] = [];
  const logs = new Map<string, LogFile>();
  const log = (server: string): LogFile => {
    const known = logs.get(server);
    if (known !== undefined) return known;
    const file = createLogFile({
      holtHome: home,
      os: hostSystem,
      name: logFileName(server, server),
      redactor,
      onWarning,
    });
    logs.set(server, file);
    return file;
  };
  const plan: StdioFixture['plan'] = (server, args = [], more = {}) => stdioPlan(server, args, mark, more);
  return {
    home,
    mark,
    guardian,
    leases,
    redactor,
    warnings,
    plan,
    log,
    transport: (server, args = [], { plan: planned = {}, ...more } = {}) => {
      const parts = {
        guardian,
        leases,
        log: log(server),
        limits: stdioLimits,
        account: openAccount(),
        clock: realClock,
        stop: stopSteps,
        ...more,
      };
      const transport = createStdioTransport(plan(server, args, planned), parts);
      transports.push(transport);
      return transport;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(transports.map((transport) => transport.kill()));
      await guardian.close();
      await Promise.all([...logs.values()].map((file) => file.close()));
      if (shared === undefined) await rm(home, { recursive: true, force: true });
    },
  };
}

function stdioPlan(
  server: string,
  args: readonly string[],
  mark: string,
  more: Partial<StdioPlan>,
): StdioPlan & LaunchPlan {
  const env = { PATH: process.env['PATH'] ?? '', HOME: os.tmpdir(), [markName]: mark };
  const plan: StdioPlan = {
    kind: 'stdio',
    server,
    program: process.execPath,
    args: [path.join(serverFolder, `${server}.mjs`), ...args].map((word) => new SecretValue(word)),
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, new SecretValue(value)])),
    cwd: serverFolder,
    ...more,
  };
  return plan as StdioPlan & LaunchPlan; // these tests begin where trust has been given
}

export function createClient(probeMs = 5000): Client {
  const negotiation = { mode: 'auto', probe: { timeoutMs: probeMs } } as const;
  return new Client({ name: 'holt-test', version: '1.0.0' }, { versionNegotiation: negotiation });
}

/** Connected by the SDK's own client, nothing of holt above the transport. */
export async function connectClient(transport: StdioTransport, probeMs?: number): Promise<Client> {
  const client = createClient(probeMs);
  await client.connect(transport);
  return client;
}
