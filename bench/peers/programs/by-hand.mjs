/** A hand-written client over stdio and HTTP: the lower bound for every client. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';

const clientInfo = { name: 'floor', version: '1.0.0' };
const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };

export async function openByHand(servers) {
  const sessions = await Promise.all(
    Object.values(servers).map(async (server) => {
      const session = server.url === undefined ? openStdio(server) : openHttp(server);
      await session.ask('initialize', hello);
      await session.tell('notifications/initialized');
      return session;
    }),
  );
  let kept = []; // as everybody who lists keeps it
  return {
    list: async () => {
      kept = await Promise.all(sessions.map(({ ask }) => ask('tools/list', {})));
      return kept.reduce((sum, { tools }) => sum + tools.length, 0);
    },
    call: async (name, given) =>
      (await sessions[0].ask('tools/call', { name, arguments: given })).content[0].text,
    close: () => Promise.all(sessions.map(({ close }) => close())),
  };
}

function openStdio({ command, args }) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map();
  let chunks = [];
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
      chunks.push(chunk.slice(from, end));
      const { id, result } = JSON.parse(chunks.join(''));
      chunks = [];
      from = end + 1;
      waiting.get(id)?.(result);
      waiting.delete(id);
    }
    if (from < chunk.length) chunks.push(chunk.slice(from));
  });
  let last = 0;
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  return {
    ask: (method, params) =>
      new Promise((resolve) => {
        last += 1;
        waiting.set(last, resolve);
        send({ id: last, method, params });
      }),
    tell: (method) => send({ method }),
    close: async () => {
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
}

function openHttp({ url }) {
  const agent = new http.Agent({ keepAlive: true });
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  let last = 0;
  const post = (message) =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify({ jsonrpc: '2.0', ...message });
      const options = {
        agent,
        method: 'POST',
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      };
      const request = http.request(url, options, (response) => {
        const given = response.headers['mcp-session-id'];
        if (given !== undefined) headers['mcp-session-id'] = given;
        const chunks = [];
        response.setEncoding('utf8').on('data', (chunk) => chunks.push(chunk));
        response.on('end', () =>
          resolve(chunks.length === 0 ? undefined : JSON.parse(chunks.join('')).result),
        );
      });
      request.on('error', reject).end(body);
    });
  return {
    ask: (method, params) => {
      last += 1;
      return post({ id: last, method, params });
    },
    tell: (method) => post({ method }),
    close: async () => agent.destroy(),
  };
}
