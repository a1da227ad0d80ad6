/** Small HTTP servers inside the test process, on a free loopback port, closed when the test ends. */

import http, { type IncomingMessage, type RequestListener } from 'node:http';
import https from 'node:https';
import net, { type AddressInfo, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export interface LocalServer extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  readonly requests: readonly IncomingMessage[];
}

export async function serveHttp(handle: RequestListener): Promise<LocalServer> {
  return await listen('http', handle, (listener) => http.createServer(listener));
}

/** `upgradesTo` is the port of a plain server that takes the upgrades. */
export async function serveHttps(
  options: https.ServerOptions,
  handle: RequestListener,
  upgradesTo?: number,
): Promise<LocalServer> {
  return await listen('https', handle, (listener) => {
    const server = https.createServer(options, listener);
    if (upgradesTo !== undefined)
      server.on('upgrade', (request, socket) => passOn(request, socket, upgradesTo));
    return server;
  });
}

function passOn(request: IncomingMessage, socket: Duplex, port: number): void {
  const onward = net.connect(port, '127.0.0.1');
  const headers = request.rawHeaders
    .map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`))
    .join('');
  onward.write(`${request.method} ${request.url} HTTP/1.1\r\n${headers}\r\n`);
  onward.on('error', () => socket.destroy());
  socket.on('error', () => onward.destroy());
  onward.pipe(socket).pipe(onward);
}

async function listen(
  scheme: string,
  handle: RequestListener,
  create: (listener: RequestListener) => Server,
): Promise<LocalServer> {
  const requests: IncomingMessage[] = [];
  const sockets = new Set<Socket>();
  const server = create((request, response) => {
    requests.push(request);
    handle(request, response);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    port,
    url: `${scheme}://127.0.0.1:${port}`,
    requests,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
