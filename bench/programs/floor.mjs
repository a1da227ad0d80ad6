/** The floor: the least a plain Node program needs to connect N servers, list their tools and let them go. No checks at all. */

import { spawn } from 'node:child_process';

const [server, count] = process.argv.slice(2);

async function listOne() {
  const child = spawn(process.execPath, [server], { stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map();
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const { id, result } = JSON.parse(line);
      waiting.get(id)?.(result);
    }
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
  const { tools } = await ask('tools/list', {});
  child.stdin.end();
  return { tools: tools.length };
}

const found = await Promise.all(Array.from({ length: Number(count) }, listOne));
console.log(JSON.stringify(found));
