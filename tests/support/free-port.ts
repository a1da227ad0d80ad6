/** A port for one test: a login with a client that was registered by hand insists on its port, and tests run at the same time. */

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
