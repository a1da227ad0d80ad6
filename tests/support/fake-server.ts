/** An in-process server with any number of independent transports. */

import type { JSONRPCMessage } from '@modelcontextprotocol/client';

import type { OpenedTransport } from '../../src/connection/explain-failure.ts';
import type { TransportEnd } from '../../src/transports/server-transport.ts';

type Answer = Readonly<Record<string, unknown>>;

/** What a server does with one request: answers, refuses, keeps silent, or ends. */
export type Reply =
  | { readonly result: Answer }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
  | 'silence'
  | 'exit';

export interface Asked {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Which start of the server was asked. */
  readonly start: number;
}

export interface FakeServer {
  readonly asked: Asked[];
  readonly transports: FakeTransport[];
  /** Everything that was asked, as names. */
  methods(): readonly string[];
  open(): Promise<OpenedTransport>;
}

export type Handler = (asked: Asked, transport: FakeTransport) => Reply | Promise<Reply>;

export function createFakeServer(handle: Handler, program = true): FakeServer {
  const asked: Asked[] = [];
  const transports: FakeTransport[] = [];
  return {
    asked,
    transports,
    methods: () => asked.map(({ method }) => method),
    open: () => {
      const start = transports.length + 1;
      const onAsked = (method: string, params: Answer, transport: FakeTransport): Reply | Promise<Reply> => {
        const question = { method, params, start };
        asked.push(question);
        return handle(question, transport);
      };
      const transport = new FakeTransport(onAsked, program ? 1000 + start : undefined);
      transports.push(transport);
      return Promise.resolve(transport);
    },
  };
}

export class FakeTransport implements OpenedTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: OpenedTransport['onmessage'];
  onwarning?: OpenedTransport['onwarning'];
  readonly opened: Promise<void>;
  readonly processId: number | undefined;
  end: TransportEnd | undefined;
  sessionId: string | undefined;
  stderr = '';
  isStarted = false;
  readonly sent: JSONRPCMessage[] = [];
  readonly #onAsked: (method: string, params: Answer, transport: FakeTransport) => Reply | Promise<Reply>;
  #open = (): void => undefined;

  constructor(
    onAsked: (method: string, params: Answer, transport: FakeTransport) => Reply | Promise<Reply>,
    processId: number | undefined,
  ) {
    this.#onAsked = onAsked;
    this.processId = processId;
    this.opened = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  stderrTail(lines: number): string {
    return this.stderr.split('\n').slice(-lines).join('\n');
  }

  start(): Promise<void> {
    this.isStarted = true;
    return Promise.resolve();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.end !== undefined) throw new Error('it is not running');
    this.sent.push(message);
    if (!('method' in message)) return;
    await Promise.resolve();
    const reply = await this.#onAsked(message.method, message.params ?? {}, this);
    if (!('id' in message) || reply === 'silence') return;
    if (reply === 'exit') this.exit(1);
    else this.say({ jsonrpc: '2.0', id: message.id, ...reply });
  }

  say(message: JSONRPCMessage): void {
    if (this.end !== undefined) return;
    this.#open();
    this.onmessage?.(message);
  }

  notify(method: string, params: Answer = {}): void {
    this.say({ jsonrpc: '2.0', method, params });
  }

  exit(exitCode: number | null, more: TransportEnd = {}): void {
    if (this.end !== undefined) return;
    this.end = { exitCode, signal: null, ...more };
    this.onclose?.();
  }

  close(): Promise<void> {
    this.exit(null, { reason: 'closed by holt' });
    return Promise.resolve();
  }
}

const info = { name: 'fake', version: '1' };
const infoKey = 'io.modelcontextprotocol/serverInfo';

export interface FakeOffer {
  readonly tools?: readonly Answer[] | undefined;
  readonly resources?: readonly Answer[] | undefined;
  readonly prompts?: readonly Answer[] | undefined;
}

export function fakeTool(name: string): Answer {
  return { name, inputSchema: { type: 'object' } };
}

const notFound: Reply = { error: { code: -32_601, message: 'Method not found' } };

function capabilitiesOf(offer: FakeOffer): Answer {
  const kinds = (['tools', 'resources', 'prompts'] as const).filter((kind) => offer[kind] !== undefined);
  return Object.fromEntries(kinds.map((kind) => [kind, { listChanged: true }]));
}

function list(method: string, offer: FakeOffer): Reply {
  const kind = method.replace('/list', '') as keyof FakeOffer; // asked of three lists only
  const items = offer[kind];
  return items === undefined ? notFound : { result: { [kind]: items } };
}

/** The older protocol: greeted by `initialize`, and deaf before. */
export function statefulServer(offer: () => FakeOffer): Handler {
  const greeted = new Set<number>();
  return ({ method, params, start }) => {
    if (method === 'initialize') {
      greeted.add(start);
      return {
        result: {
          protocolVersion: params['protocolVersion'],
          capabilities: capabilitiesOf(offer()),
          serverInfo: info,
        },
      };
    }
    if (method === 'notifications/initialized') return 'silence';
    if (!greeted.has(start)) return { error: { code: -32_600, message: 'Not initialized' } };
    if (method === 'ping') return { result: {} };
    if (method === 'tools/call') return { result: { content: [{ type: 'text', text: 'done' }] } };
    return method.endsWith('/list') && !method.includes('templates') ? list(method, offer()) : notFound;
  };
}

/** The newer protocol: never greeted. */
export function statelessServer(offer: () => FakeOffer, version = '1'): Handler {
  const complete = (reply: Reply): Reply =>
    typeof reply === 'object' && 'result' in reply
      ? {
          result: {
            resultType: 'complete',
            ttlMs: 0,
            cacheScope: 'private',
            _meta: { [infoKey]: { ...info, version } },
            ...reply.result,
          },
        }
      : reply;
  return ({ method, params }) => {
    if (method.startsWith('notifications/')) return 'silence';
    if (!('_meta' in params)) return { error: { code: -32_022, message: 'Unsupported protocol version' } };
    if (method === 'server/discover') {
      return complete({
        result: { supportedVersions: ['2026-07-28'], capabilities: capabilitiesOf(offer()) },
      });
    }
    if (method === 'subscriptions/listen') return 'silence';
    if (method === 'tools/call') return complete({ result: { content: [{ type: 'text', text: 'done' }] } });
    return method.endsWith('/list') && !method.includes('templates')
      ? complete(list(method, offer()))
      : notFound;
  };
}
