/** A free port for one test: a login with a preregistered client requires its port, and tests run concurrently. */

import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';

export async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  server.close();
  await once(server, 'close');
  return port;
}
