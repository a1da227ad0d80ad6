/**
 * Tracks a server's connections and which of them are idle. Node's own list omits connections that never sent
 * a request.
 */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface Connections {
  /** Closes idle connections now, and the others after their pending responses. */
  endIdle(): void;
}

export function followConnections(server: Server): Connections {
  const open = new Map<Socket, number>();
  let ending = false;
  server.on('connection', (socket: Socket) => {
    open.set(socket, 0);
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    open.set(socket, (open.get(socket) ?? 0) + 1);
    response.once('close', () => {
      if (!open.has(socket)) return;
      const left = (open.get(socket) ?? 1) - 1;
      open.set(socket, left);
      if (ending && left === 0) socket.destroySoon();
    });
  });
  return {
    endIdle: () => {
      ending = true;
      for (const [socket, asked] of open) if (asked === 0) socket.destroySoon();
    },
  };
}
