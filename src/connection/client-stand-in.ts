/**
 * A proxy for the SDK client that exists before the client is loaded. Callers get it immediately; it loads
 * the client in the background and then forwards everything to it, including what was set in the meantime.
 */

import type { Client } from '@modelcontextprotocol/client';

import type { Session } from './session.ts';

/** What a server reported about itself. */
export type Heard = Pick<
  Session,
  'protocol' | 'era' | 'capabilities' | 'serverInfo' | 'instructions' | 'discover'
>;

export interface StandInParts {
  /** What is known without the client; undefined while the server is not connected. */
  readonly heard: () => Heard | undefined;
  /** Resolves to the client once it is attached to a channel. */
  readonly seat: () => Promise<Client>;
}

export interface StandIn {
  readonly client: Client;
  /** Call when the client exists but is not attached. Applies what was set, before it receives a message. */
  made(client: Client): void;
}

/**
 * What a member does before the client is attached: a function answers from `heard`, `keeps` records the call
 * for the client, `refuses` throws as a connected client does, `waits` waits for the client, and `field`
 * holds a value.
 */
type Way = ((heard: Heard | undefined) => unknown) | 'keeps' | 'refuses' | 'waits' | 'field';

const ways: Readonly<Record<keyof Client, Way>> = {
  getServerCapabilities: (heard) => heard?.capabilities,
  getServerVersion: (heard) => heard?.serverInfo,
  getNegotiatedProtocolVersion: (heard) => heard?.protocol,
  getProtocolEra: (heard) => heard && (heard.era === 'stateless' ? 'modern' : 'legacy'),
  getInstructions: (heard) => heard?.instructions,
  getDiscoverResult: (heard) => heard?.discover,
  setRequestHandler: 'keeps',
  removeRequestHandler: 'keeps',
  assertCanSetRequestHandler: 'keeps',
  setNotificationHandler: 'keeps',
  removeNotificationHandler: 'keeps',
  registerCapabilities: 'refuses',
  setVersionNegotiation: 'refuses',
  onclose: 'field',
  onerror: 'field',
  fallbackRequestHandler: 'field',
  fallbackNotificationHandler: 'field',
  transport: 'field',
  autoOpenedSubscription: 'field',
  connect: 'waits',
  close: 'waits',
  request: 'waits',
  notification: 'waits',
  ping: 'waits',
  discover: 'waits',
  complete: 'waits',
  setLoggingLevel: 'waits',
  getPrompt: 'waits',
  listPrompts: 'waits',
  listResources: 'waits',
  listResourceTemplates: 'waits',
  readResource: 'waits',
  subscribeResource: 'waits',
  unsubscribeResource: 'waits',
  listen: 'waits',
  callTool: 'waits',
  listTools: 'waits',
  sendRootsListChanged: 'waits',
};

export function createStandIn({ heard, seat }: StandInParts): StandIn {
  let made: Client | undefined;
  let seated: Client | undefined;
  let kept: ((client: Client) => void)[] = [];
  const fields = new Map<string | symbol, unknown>();
  const keep = (step: (client: Client) => void): void => {
    if (made === undefined) kept.push(step);
    else step(made);
  };
  const seatNow = async (): Promise<Client> => {
    const client = await seat();
    made = client;
    seated = client;
    return client;
  };
  const early = (name: keyof Client, way: Way): unknown => {
    if (typeof way === 'function') return () => way(heard());
    if (way === 'field') return fields.get(name);
    if (way === 'keeps') return (...args: unknown[]) => keep((client) => void apply(client, name, args));
    if (way === 'waits') return async (...args: unknown[]) => apply(await seatNow(), name, args);
    return () => {
      throw new Error(`${name} comes too late: the client is connected`);
    };
  };
  const standIn = new Proxy<Client>(Object.create(null), {
    get: (_, name) => {
      if (seated !== undefined) return memberOf(seated, name);
      return isMember(name) ? early(name, ways[name]) : undefined;
    },
    set: (_, name, value) => {
      fields.set(name, value);
      keep((own) => void Reflect.set(own, name, value));
      return true;
    },
    has: (_, name) => (seated === undefined ? isMember(name) : name in seated),
    getPrototypeOf: () => (seated === undefined ? null : Object.getPrototypeOf(seated)),
  });
  // Start loading now: a caller that asks for a client will use it.
  seatNow().catch(() => undefined);
  return {
    client: standIn,
    made: (own) => {
      made = own;
      const steps = kept;
      kept = [];
      for (const step of steps) tryOn(own, step);
    },
  };
}

/** The caller that set it has moved on, so an error can only go to the client's `onerror`. */
function tryOn(client: Client, step: (client: Client) => void): void {
  try {
    step(client);
  } catch (error) {
    client.onerror?.(error instanceof Error ? error : new Error(String(error)));
  }
}

function isMember(name: string | symbol): name is keyof Client {
  return Object.hasOwn(ways, name);
}

function memberOf(client: Client, name: string | symbol): unknown {
  const member: unknown = Reflect.get(client, name);
  if (typeof member !== 'function' || name === 'constructor') return member;
  return (...args: unknown[]) => apply(client, name, args);
}

function apply(client: Client, name: string | symbol, args: readonly unknown[]): unknown {
  const member: unknown = Reflect.get(client, name);
  if (typeof member !== 'function') throw new TypeError(`${String(name)} is not a function`);
  const answer: unknown = Reflect.apply(member, client, args);
  return answer;
}
