/** A network for tests: every name below `.test` is this machine, and nothing else can be looked up. */

import fs from 'node:fs';
import type { LookupFunction } from 'node:net';

import {
  createNetwork,
  type Network,
  type NetworkParts,
  type Remote,
  type RemoteTarget,
} from '../../src/network/create-network.ts';
import { findNetworkFailure, type NetworkProblem } from '../../src/network/network-failure.ts';
import { realClock } from '../../src/platform/clock.ts';

export const localLookup: LookupFunction = (host, options, answer) => {
  if (!host.endsWith('.test'))
    return answer(Object.assign(new Error(`no such name: ${host}`), { code: 'ENOTFOUND' }), []);
  if (options.all === true) answer(null, [{ address: '127.0.0.1', family: 4 }]);
  else answer(null, '127.0.0.1', 4);
};

export function makeNetwork(parts: Partial<NetworkParts> = {}): Network {
  const readText = (file: string): string => fs.readFileSync(file, 'utf8');
  return createNetwork({
    env: {},
    options: {},
    readText,
    clock: realClock,
    wallNow: Date.now,
    lookup: localLookup,
    ...parts,
  });
}

export function openRemote(
  url: string,
  parts: Partial<NetworkParts> = {},
  target: Partial<RemoteTarget> = {},
): Remote & AsyncDisposable {
  const remote = makeNetwork(parts).open({
    origin: new URL(url).origin,
    headers: {},
    messageBytes: 16 << 20,
    ...target,
  });
  return { ...remote, [Symbol.asyncDispose]: () => remote.close() };
}

/** What went wrong, by name; a thing that went well is an error here. */
export async function problemOf(work: Promise<unknown>): Promise<NetworkProblem> {
  const error: unknown = await work.then(
    (value) => new Error(`went well: ${String(value)}`),
    (thrown: unknown) => thrown,
  );
  const failure = findNetworkFailure(error);
  if (failure === undefined) throw error;
  return failure.problem;
}
