/**
 * A server on HTTP that writes down what it gets. `argv[2]` is the port, `argv[3]` JSON: `server`, `era`, `history`, `canaries`.
 * `POST /control` makes it misbehave: `forget` its sessions, `change` its list, `redirect` the next requests to `to`.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import {
  createAnswers,
  event,
  readBody,
  sendJson,
  serve,
  text,
  tool,
} from '../../fixtures/servers/shared/serve-http.mjs';
import { canariesIn, openNotes } from './notes.mjs';

const { server, era, history, canaries } = JSON.parse(process.argv[3]);
const note = openNotes(history, `${server} ${process.pid}`);
const sessions = new Set();
const streams = new Set();
const properties = { mark: { type: 'string' }, delay: { type: 'number' } };
const tools = ['echo', 'twice', 'late', 'never'].map((name) => tool(name, properties));
let redirects = { left: 0, to: '' };

const answer = createAnswers({
  name: server,
  eras: [era],
  tools,
  call: async (name, { mark, delay = 0 }) => {
    note('received', { server, tool: name, mark });
    await pause(name === 'late' ? 2500 : delay);
    return text(mark);
  },
});

const controls = {
  forget: () => sessions.clear(),
  change: () => {
    tools.push(tool(`more-${tools.length}`));
    for (const stream of streams)
      stream.write(event({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }));
  },
  redirect: ({ to, times }) => {
    redirects = { left: times, to };
  },
};

serve(async (request, response) => {
  const message = request.method === 'POST' ? await readBody(request).catch(() => undefined) : undefined;
  if (request.url === '/control') {
    controls[message.do](message);
    return response.end();
  }
  const seen = `${request.url}\n${request.rawHeaders.join('\n')}\n${JSON.stringify(message)}`;
  note('outbound', { to: server, bytes: seen.length, canaries: canariesIn(seen, canaries) });
  if (redirects.left > 0) {
    redirects.left -= 1;
    return response.writeHead(307, { location: redirects.to }).end();
  }
  if (request.method === 'POST' && message === undefined) return response.writeHead(400).end();
  return era === 'stateful' ? inSession(request, response, message) : plain(request, response, message);
});

async function plain(request, response, message) {
  if (request.method !== 'POST') return response.writeHead(405).end();
  return reply(response, message);
}

async function inSession(request, response, message) {
  const session = request.headers['mcp-session-id'];
  if (message?.method === 'server/discover') return response.writeHead(400).end();
  if (message?.method === 'initialize') {
    const id = randomUUID();
    sessions.add(id);
    return sendJson(response, 200, await answer(message), { 'mcp-session-id': id });
  }
  if (!sessions.has(session)) return sendJson(response, 404, { error: 'no such session' });
  if (request.method === 'DELETE') {
    sessions.delete(session);
    return response.writeHead(204).end();
  }
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    streams.add(response);
    return response.on('close', () => streams.delete(response));
  }
  return reply(response, message);
}

async function reply(response, message) {
  if (message.id === undefined) return response.writeHead(202).end();
  if (message.method !== 'tools/call') {
    const answered = await answer(message);
    return sendJson(response, answered.error === undefined ? 200 : 404, answered);
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  const answered = event(await answer(message));
  response.end(message.params.name === 'twice' ? `${answered}${answered}` : answered);
}
