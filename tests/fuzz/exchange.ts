/** Sends bytes to a listener on this machine as nobody's library would, and gives what comes back. */

import { connect } from 'node:net';

/** A listener that waits for more of a request, or that streams, says nothing for so long. */
const quietMs = 60;
const withinMs = 5000;

export function exchange(port: number, bytes: string | Uint8Array): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect({ host: '127.0.0.1', port }, () => {
      socket.end(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
      socket.setTimeout(withinMs);
    });
    socket.setEncoding('latin1').on('data', (text: string) => {
      if (answer.length < 4096) answer += text;
      socket.setTimeout(quietMs);
    });
    socket.on('timeout', () => socket.destroy());
    // The other side may end the connection while bytes are still on their way.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
  });
}
