/**
 * Wraps a transport so that each response is repaired before the SDK reads it, with a warning for everything
 * that was dropped.
 */

import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';

import type { Era } from '../kernel/phases.ts';
import { repairMessage } from './repair.ts';
import type { ServerTransport } from './server-transport.ts';

interface Asked {
  readonly method: string;
  readonly era: Era;
}

type Handler = NonNullable<ServerTransport['onmessage']>;

/** Abandoned requests never get a response, so the number of remembered requests is limited. */
const mostAsked = 4096;

/** Limits the warnings per response, because the server controls how many faults it contains. */
const mostWarnings = 50;

const versionKey = 'io.modelcontextprotocol/protocolVersion';

/** Modifies and returns `transport` itself, because the SDK recognises transports by their properties. */
export function makeTolerant<Kind extends ServerTransport>(transport: Kind): Kind {
  const asked = new Map<RequestId, Asked>();
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    remember(message, asked);
    return send(message, options);
  };

  // Reading `onmessage` returns the repairing handler. Setting it again wraps it twice, which is harmless:
  // the second repair finds nothing to do.
  const repairing = (handler: Handler | undefined): Handler | undefined =>
    handler === undefined
      ? undefined
      : (message, extra) => handler(repairAnswer(message, asked, transport), extra);
  let tap = repairing(transport.onmessage);
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    enumerable: true,
    get: () => tap,
    set: (handler: Handler | undefined) => {
      tap = repairing(handler);
    },
  });
  return transport;
}

function remember(message: JSONRPCMessage, asked: Map<RequestId, Asked>): void {
  if (!('method' in message)) return;
  if (!('id' in message)) {
    const given = message.method === 'notifications/cancelled' ? message.params?.['requestId'] : undefined;
    if (typeof given === 'string' || typeof given === 'number') asked.delete(given);
    return;
  }
  asked.set(message.id, { method: message.method, era: eraOf(message.params) });
  if (asked.size <= mostAsked) return;
  for (const oldest of asked.keys()) {
    asked.delete(oldest);
    return;
  }
}

function eraOf(params: Readonly<Record<string, unknown>> | undefined): Era {
  const meta = params?.['_meta'];
  return typeof meta === 'object' && meta !== null && versionKey in meta ? 'stateless' : 'stateful';
}

function repairAnswer<Message extends JSONRPCMessage>(
  message: Message,
  asked: Map<RequestId, Asked>,
  transport: ServerTransport,
): Message {
  if ('method' in message || !('id' in message) || message.id === undefined) return message;
  const question = asked.get(message.id);
  if (question === undefined) return message;
  asked.delete(message.id);
  const { message: repaired, warnings } = repairMessage(message, question.method, question.era);
  for (const { code, message: text } of warnings.slice(0, mostWarnings)) transport.onwarning?.(code, text);
  const last = warnings.at(-1);
  if (last !== undefined && warnings.length > mostWarnings)
    transport.onwarning?.(last.code, `and ${warnings.length - mostWarnings} more in the same answer`);
  return repaired as Message; // a response stays a response
}
