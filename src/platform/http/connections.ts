/** Connections of a server, and which of them wait for nothing. Node's own list leaves out those that never asked. */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface Connections {
  /** Ends those that wait for no answer now, and each of the others after its answer. */
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
