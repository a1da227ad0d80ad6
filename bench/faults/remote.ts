/** F34, F35, F37, F38: connections over a network that break, stall, forget or ask for patience. */

import { median } from '../measure.ts';
import { startFaultyServer } from './http-server.ts';
import { openWorld, repeat, timed, timedFailure, type Figure } from './world.ts';

export async function benchRemote(): Promise<readonly Figure[]> {
  return [...(await stalled()), await cutOff(), ...(await forgotten()), ...(await toldToWait())];
}

/** The peer has vanished: nothing comes, not even an end. */
async function stalled(): Promise<readonly Figure[]> {
  await using server = await startFaultyServer();
  await using world = await openWorld(
    { it: { type: 'http', url: server.url } },
    { timeouts: { idleMs: 400 } },
  );
  const call = (): Promise<unknown> =>
    world.use('it')((client, request) => client.callTool({ name: 'echo' }, request));
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

async function cutOff(): Promise<Figure> {
  await using server = await startFaultyServer();
  await using world = await openWorld({ it: { type: 'http', url: server.url } });
  server.misbehave = ({ method }, response) => {
    if (method !== 'tools/call') return false;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"jsonrpc":');
    setImmediate(() => response.socket?.resetAndDestroy());
    return true;
  };
  const times = await repeat(15, async () => {
    const client = await world.client('it');
    return await timedFailure(() => client.callTool({ name: 'echo' }));
  });
  return {
    id: 'F35',
    name: 'a response is cut off, until the call fails',
    value: median(times),
    unit: 'ms',
    target: 100,
  };
}

async function forgotten(): Promise<readonly Figure[]> {
  await using server = await startFaultyServer();
  await using world = await openWorld({ it: { type: 'http', url: server.url } });
  await world.client('it');
  const before = server.requests.length;
  server.forgetSessions();
  const list = (): Promise<unknown> =>
    world.use('it')((client, request) => client.listTools({}, { ...request, cacheMode: 'bypass' }), {
      isSafe: true,
    });
  const took = await timed(() => Promise.all(Array.from({ length: 50 }, list)));
  const opened = server.requests.slice(before).filter(({ method }) => method === 'initialize').length;
  return [
    {
      id: 'F37',
      name: '50 lists meet a forgotten session, until all are answered',
      value: took,
      unit: 'ms',
      target: 1000,
    },
    { id: 'F37', name: 'sessions opened for them', value: opened, unit: 'count', target: 1 },
  ];
}

async function toldToWait(): Promise<readonly Figure[]> {
  await using server = await startFaultyServer();
  let refused: number | undefined;
  server.misbehave = ({ method, at }, response) => {
    if (method !== 'initialize' || refused !== undefined) return false;
    refused = at;
    response.writeHead(503, { 'retry-after': '1' }).end();
    return true;
  };
  await using world = await openWorld({ it: { type: 'http', url: server.url } });
  const connected = new Promise<void>((resolve) => {
    world.host.on('mcp.status.changed', ({ status }) => {
      if (status.status === 'connected') resolve();
    });
  });
  void world.host.connect('it');
  await connected;
  const next = server.requests.find(({ at }) => refused !== undefined && at > refused);
  const waited = (next?.at ?? Number.NaN) - (refused ?? Number.NaN);
  return [
    {
      id: 'F38',
      name: 'asked to wait 1 s, earlier than that by',
      value: Math.max(0, 1000 - waited),
      unit: 'ms',
      target: 0,
    },
    { id: 'F38', name: 'later than that by', value: Math.max(0, waited - 1000), unit: 'ms', target: 200 },
  ];
}
