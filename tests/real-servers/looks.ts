/** What a server offers and answers: seen by the SDK's own client with nothing of holt in between, and seen through holt. */

import {
  Client,
  ProtocolError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Tool,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { openHost } from '../../dist/index.js';

import type { StdioEntry } from './world.ts';
import type { ZooCall, ZooRemote } from './zoo-server.ts';

export interface Look {
  readonly protocol: string | undefined;
  readonly tools: readonly Tool[];
  readonly answer?: Answer;
}

/** What came of a call, in words that both sides can say. */
export interface Answer {
  readonly ok: boolean;
  readonly content: readonly { readonly type: string }[];
  readonly structured?: unknown;
  /** The server's words when the protocol, not the tool, reported the failure. */
  readonly refusal?: string;
}

/** It can answer about roots, as holt can: some servers offer a tool more to those who do. */
export async function lookWithSdk(transport: Transport, call: ZooCall | undefined): Promise<Look> {
  const client = new Client(
    { name: 'plain', version: '0' },
    { capabilities: { roots: {} }, versionNegotiation: { mode: 'auto', probe: { timeoutMs: 10_000 } } },
  );
  client.setRequestHandler('roots/list', () => ({ roots: [] }));
  try {
    await client.connect(
      transport,
      transport instanceof SSEClientTransport ? { prior: { kind: 'legacy' } } : {},
    );
    const { tools } = await client.listTools();
    const protocol = client.getNegotiatedProtocolVersion();
    return { protocol, tools, ...(call === undefined ? {} : { answer: await callWithSdk(client, call) }) };
  } finally {
    await client.close();
  }
}

async function callWithSdk(client: Client, { tool, args }: ZooCall): Promise<Answer> {
  try {
    const result = await client.callTool({ name: tool, arguments: { ...args } });
    const { content, structuredContent: structured, isError = false } = result;
    return { ok: !isError, content, ...(structured === undefined ? {} : { structured }) };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return { ok: false, content: [], refusal: error.message };
  }
}

export interface HoltLook {
  readonly status: object;
  readonly era: string | undefined;
  readonly protocol: string | undefined;
  /** What was listed when it connected, and what the client that holt hands out lists when it is asked. */
  readonly listed: unknown;
  readonly asked: unknown;
  readonly answer?: Answer;
}

export async function lookWithHolt(
  home: string,
  entry: object,
  call: ZooCall | undefined,
): Promise<HoltLook> {
  await using host = await openHost({
    home,
    cwd: home,
    servers: { it: entry },
    policy: { default: 'allow' },
  });
  const status = await host.connect('it');
  const report = host.report()['it'];
  const asked = await host.clients()['it']?.listTools();
  const seen = {
    status,
    era: report?.era,
    protocol: report?.protocol,
    listed: report?.lists?.tools,
    asked: asked?.tools,
  };
  if (call === undefined) return seen;
  const { name } = await host.findTool(`it.${call.tool}`);
  const { ok, content, structured, error } = await host.call(name, { ...call.args });
  const refused = error !== undefined && error.code !== 'tool-error' ? { refusal: error.message } : {};
  return {
    ...seen,
    answer: { ok, content, ...(structured === undefined ? {} : { structured }), ...refused },
  };
}

export function plainStdio({ command, args, env, cwd }: StdioEntry): Transport {
  return new StdioClientTransport({ command, args: [...args], env: { ...env }, cwd, stderr: 'ignore' });
}

export function plainRemote(remote: ZooRemote, url: string): Transport {
  return remote.transport === 'sse'
    ? new SSEClientTransport(new URL(url))
    : new StreamableHTTPClientTransport(new URL(url));
}
