/** An address of this machine where connections are neither taken nor refused: a stopped program with a full queue. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';

export interface BlackHole extends AsyncDisposable {
  readonly address: string;
}

const program = `require('node:net').createServer().listen({ host: process.argv[1], port: Number(process.argv[2]), backlog: 1 }, () => process.stdout.write('up'))`;

/** Linux answers on all of 127.0.0.0/8; elsewhere the address refuses, which is the milder form of the same. */
export async function openBlackHole(port: number): Promise<BlackHole> {
  if (process.platform !== 'linux') return { address: '::1', [Symbol.asyncDispose]: () => Promise.resolve() };
  const address = '127.0.0.2';
  const child = spawn(process.execPath, ['-e', program, address, String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  child.kill('SIGSTOP');
  const waiting = Array.from({ length: 6 }, () =>
    net.connect({ host: address, port }).on('error', () => undefined),
  );
  // The first ones fit into the queue; when they are in, it is full.
  await Promise.all(waiting.slice(0, 2).map((socket) => once(socket, 'connect')));
  return {
    address,
    [Symbol.asyncDispose]: async () => {
      for (const socket of waiting) socket.destroy();
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}
