/** What a server lists and returns, observed by the SDK’s own client without holt and observed through holt. */

import {
  Client,
  ProtocolError,
  SSEClientTransport,
  specTypeSchemas,
  StreamableHTTPClientTransport,
  type SpecTypes,
  type Tool,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { openHost } from '../../dist/index.js';
import type { ServerConfig } from '../../src/roster/server-config.ts';

import type { StdioEntry } from './setup.ts';
import type { ZooCall, ZooRemote } from './zoo-server.ts';

export interface Observation {
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

/** It can be asked what holt can be asked: some servers offer a tool more to those who can. */
const capabilities = { roots: {}, elicitation: { form: {}, url: {} } };

/** A transport to a server, and whether it is to be asked which protocol it speaks. */
interface Plain {
  readonly transport: Transport;
  readonly asks: boolean;
}

export async function observeWithSdk(
  { transport, asks }: Plain,
  call: ZooCall | undefined,
): Promise<Observation> {
  const client = new Client(
    { name: 'plain', version: '0' },
    { capabilities, versionNegotiation: { mode: 'auto', probe: { timeoutMs: 10_000 } } },
  );
  client.setRequestHandler('roots/list', () => ({ roots: [] }));
  client.setRequestHandler('elicitation/create', () => ({ action: 'decline' }));
  try {
    await client.connect(transport, asks ? {} : { prior: { kind: 'legacy' } });
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

export interface HoltObservation {
  readonly status: object;
  readonly era: string | undefined;
  readonly protocol: string | undefined;
  /** What was listed when it connected, and what the client that holt hands out lists when it is asked. */
  readonly listed: unknown;
  readonly asked: unknown;
  readonly answer?: Answer;
}

export async function observeWithHolt(
  home: string,
  entry: ServerConfig,
  call: ZooCall | undefined,
): Promise<HoltObservation> {
  await using host = await openHost({
    home,
    cwd: home,
    servers: { it: entry },
    policy: { default: 'allow' },
  });
  const status = await host.connect('it');
  const report = host.report()['it'];
  const clients: unknown = await Promise.resolve<unknown>(host.clients());
  const { it: client } = clients as { readonly it?: Client }; // the SDK's
  const asked = await client?.listTools();
  const seen = {
    status,
    era: report?.era,
    protocol: report?.protocol,
    listed: asSdkReads('ListToolsResult', { tools: report?.lists?.tools }).tools,
    asked: asked?.tools,
  };
  if (call === undefined) return seen;
  const { name } = await host.findTool(`it.${call.tool}`);
  const { ok, content, structured, error } = await host.call(name, { ...call.args });
  const refused = error !== undefined && error.code !== 'tool-error' ? { refusal: error.message } : {};
  return {
    ...seen,
    answer: {
      ok,
      content: asSdkReads('CallToolResult', { content }).content,
      ...(structured === undefined ? {} : { structured }),
      ...refused,
    },
  };
}

/** holt keeps fields that the SDK does not know and drops. */
function asSdkReads<Name extends 'ListToolsResult' | 'CallToolResult'>(
  name: Name,
  value: unknown,
): SpecTypes[Name] {
  const read = specTypeSchemas[name]['~standard'].validate(value);
  if (read.issues !== undefined) throw new Error(JSON.stringify(read.issues));
  return read.value;
}

export function plainStdio({ command, args, env, cwd }: StdioEntry): Plain {
  const options = { command, args: [...args], env: { ...env }, cwd, stderr: 'ignore' as const };
  return { transport: new StdioClientTransport(options), asks: true };
}

export function plainRemote(remote: ZooRemote, url: string): Plain {
  return remote.transport === 'sse'
    ? { transport: new SSEClientTransport(new URL(url)), asks: false }
    : { transport: new StreamableHTTPClientTransport(new URL(url)), asks: remote.failsAtQuestion !== true };
}
