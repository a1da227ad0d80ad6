/** A host in a temporary home with fixture servers as programs; everything is removed when the test ends. */

import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import type { Client } from '@modelcontextprotocol/client';

import type { HostEvent } from '../../src/kernel/events.ts';
import type { Host, HostOptions } from '../../src/host/host.ts';
import { openHostWith, type OpenedHost } from '../../src/host/open-host.ts';
import { createSdkClients } from '../../src/host/sdk-clients.ts';
import type { HostParts } from '../../src/host/environment.ts';
import type { HostEventName } from '../../src/kernel/events.ts';
import { processesWith, until } from './processes.ts';
import { markName, serverFolder } from './stdio-fixture.ts';

export interface HostFixture extends AsyncDisposable {
  readonly home: string;
  readonly project: string;
  /** An entry that starts a fixture server. */
  program(
    name: string,
    ...args: readonly string[]
  ): { readonly command: string; readonly args: readonly string[] };
  open(options?: HostOptions, parts?: HostParts): Promise<Host>;
  /** The same, with a way to the single connections. */
  openWithin(options?: HostOptions, parts?: HostParts): Promise<OpenedHost>;
  /** How many processes of ours there are. */
  running(): number;
  /** A file for a fixture to count its starts in, and what is in it. */
  readonly startsFile: string;
  starts(): Promise<number>;
}

export async function openHostFixture(): Promise<HostFixture> {
  const home = await mkdtemp(path.join(os.tmpdir(), 'holt-host-'));
  const mark = randomBytes(8).toString('hex');
  const hosts: Host[] = [];
  const env = { PATH: process.env['PATH'], HOME: home, [markName]: mark };
  const startsFile = path.join(home, 'starts.txt');
  const running = (): number => processesWith(markName, mark).length;
  const openWithin = async (options: HostOptions = {}, parts: HostParts = {}): Promise<OpenedHost> => {
    const opened = await openHostWith(
      { cwd: home, home, env, ...options },
      { sdkClients: (sdk) => createSdkClients(sdk, (name) => import(name)), ...parts },
    );
    hosts.push(opened.host);
    return opened;
  };
  return {
    home,
    project: home,
    program: (name, ...args) => ({
      command: process.execPath,
      args: [path.join(serverFolder, `${name}.mjs`), ...args],
    }),
    openWithin,
    open: async (options, parts) => (await openWithin(options, parts)).host,
    running,
    startsFile,
    starts: async () => {
      const text = await readFile(startsFile, 'utf8').catch(() => '');
      return text.split('\n').length - 1;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(hosts.map((host) => host.close()));
      await until(() => running() === 0, 5000);
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** The client of a server that is connected. */
export async function clientOf(host: Host, server: string): Promise<Client> {
  const client = (await host.clients<Client>())[server];
  if (client === undefined) throw new Error(`${server} is not connected`);
  return client;
}

/** The next event of this name that fits. */
export function nextEvent<Name extends HostEventName>(
  host: Host,
  name: Name,
  fits: (event: HostEvent<Name>) => boolean = () => true,
): Promise<HostEvent<Name>> {
  return new Promise((resolve) => {
    const stop = host.on(name, (event) => {
      if (!fits(event)) return;
      stop();
      resolve(event);
    });
  });
}

export function nextStatus(host: Host, server: string, status: string): Promise<unknown> {
  return nextEvent(
    host,
    'mcp.status.changed',
    (event) => event.server === server && event.status.status === status,
  );
}
