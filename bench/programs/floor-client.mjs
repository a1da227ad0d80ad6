/** A hand-written client without any checks: the lower bound for every client. */

import { spawn } from 'node:child_process';

export async function openFloor(args) {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map();
  let chunks = [];
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
      chunks.push(chunk.slice(from, end));
      const { id, result } = JSON.parse(chunks.join(''));
      chunks = [];
      from = end + 1;
      const resolve = waiting.get(id);
      waiting.delete(id);
      resolve?.(result);
    }
    if (from < chunk.length) chunks.push(chunk.slice(from));
  });
  let last = 0;
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const ask = (method, params) =>
    new Promise((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      send({ id: last, method, params });
    });
  const clientInfo = { name: 'floor', version: '1.0.0' };
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  send({ method: 'notifications/initialized' });
  return { ask, close: () => child.stdin.end() };
}
