/** F34, F35, F37, F38: network connections that break, stall, lose their session or send Retry-After. */

import { median } from '../measure.ts';
import { startFaultyServer } from './http-server.ts';
import { best, bestOf, openBenchHost, repeat, timed, timedFailure, type Figure, type Part } from './setup.ts';

export const remoteParts: readonly Part[] = [stalled, cutOff, forgotten, toldToWait];

/** The peer has vanished: nothing comes, not even an end. */
async function stalled(): Promise<readonly Figure[]> {
  await using server = await startFaultyServer();
  await using fixture = await openBenchHost(
    { it: { type: 'http', url: server.url } },
    { timeouts: { idleMs: 400 } },
  );
  const call = (): Promise<unknown> =>
    fixture.use('it')((session, request) => session.call('tools/call', { name: 'echo' }, request));
  await call();
  server.misbehave = ({ method }) => method === 'tools/call';
  const late = (await timedFailure(call)) - 400;
  server.misbehave = undefined;
  const next = await timed(call);
  return [
    {
      id: 'F34',
      name: 'a call to a peer that vanished, later than its limit by',
      value: late,
      unit: 'ms',
      target: 250,
    },
    { id: 'F34', name: 'the next call', value: next, unit: 'ms', target: 1000 },
  ];
}

async function cutOff(): Promise<readonly Figure[]> {
  await using server = await startFaultyServer();
  await using fixture = await openBenchHost({ it: { type: 'http', url: server.url } });
  server.misbehave = ({ method }, response) => {
    if (method !== 'tools/call') return false;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"jsonrpc":');
    setImmediate(() => response.socket?.resetAndDestroy());
    return true;
  };
  const times = await repeat(15, async () => {
    const client = await fixture.client('it');
    return await timedFailure(() => client.callTool({ name: 'echo' }));
  });
  return [
    {
      id: 'F35',
      name: 'a response is cut off, until the call fails',
      value: median(times),
      unit: 'ms',
      target: 100,
    },
  ];
}

async function forgotten(): Promise<readonly Figure[]> {
  await using server = await startFaultyServer();
  await using fixture = await openBenchHost({ it: { type: 'http', url: server.url } });
  await fixture.client('it');
  const list = (): Promise<unknown> =>
    fixture.use('it')((session, request) => session.call('tools/list', {}, request), {
      isSafe: true,
    });
  const lists = (): Promise<number> => timed(() => Promise.all(Array.from({ length: 50 }, list)));
  const known = [await lists(), await lists(), await lists()];
  const before = server.requests.length;
  server.forgetSessions();
  const took = await lists();
  const opened = server.requests.slice(before).filter(({ method }) => method === 'initialize').length;
  return [
    {
      id: 'F37',
      name: '50 lists meet a forgotten session / 50 lists of a known one',
      value: took / best(known),
      unit: '×',
      target: 5,
    },
    { id: 'F37', name: 'sessions opened for them', value: opened, unit: 'count', target: 1 },
  ];
}

async function toldToWait(): Promise<readonly Figure[]> {
  let early = 0;
  const target = 200;
  const late = await bestOf({ least: 1, most: 4 }, target, async () => {
    const waited = await waitMs();
    early = Math.max(early, 1000 - waited);
    return Math.max(0, waited - 1000);
  });
  return [
    { id: 'F38', name: 'asked to wait 1 s, earlier than that by', value: early, unit: 'ms', target: 0 },
    { id: 'F38', name: 'later than that by', value: late, unit: 'ms', target },
  ];
}

/** How long it is before a server that asks for one second is asked again. */
async function waitMs(): Promise<number> {
  await using server = await startFaultyServer();
  let refused: number | undefined;
  server.misbehave = ({ method, at }, response) => {
    if (method !== 'initialize' || refused !== undefined) return false;
    refused = at;
    response.writeHead(503, { 'retry-after': '1' }).end();
    return true;
  };
  await using fixture = await openBenchHost({ it: { type: 'http', url: server.url } });
  const connected = new Promise<void>((resolve) => {
    fixture.host.on('mcp.status.changed', ({ status }) => {
      if (status.status === 'connected') resolve();
    });
  });
  void fixture.host.connect('it');
  await connected;
  const next = server.requests.find(({ at }) => refused !== undefined && at > refused);
  return (next?.at ?? Number.NaN) - (refused ?? Number.NaN);
}
