/**
 * Sends holt's own requests on a channel that the SDK client uses too. Their ids are strings, so that they
 * cannot clash with the client's numeric ids.
 */

import type { JSONRPCMessage } from '@modelcontextprotocol/client';

import type { JsonObject } from '../../kernel/json.ts';
import type { Receipt } from '../../network/receive-budget.ts';
import type { ServerTransport } from '../../transports/server-transport.ts';

/** The server answered with an error. */
export class AnswerError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data: unknown) {
    super(message);
    this.name = 'AnswerError';
    this.code = code;
    this.data = data;
  }
}

/** The channel closed before an answer arrived. */
export class LineClosedError extends Error {
  constructor() {
    super('the connection was closed');
    this.name = 'LineClosedError';
  }
}

/** The server answered in the format of the older protocol. */
class OldAnswerError extends Error {
  constructor() {
    super('the answer is not one of the stateless protocol');
    this.name = 'OldAnswerError';
  }
}

export interface AskOptions {
  readonly signal: AbortSignal;
  /** The `_meta` entries about the sender that every request of the stateless protocol carries. */
  readonly envelope?: JsonObject | undefined;
  /** Rejects an answer that only the transport's repair makes valid in the stateless protocol. */
  readonly refuseOld?: boolean;
  /** Sends no cancellation on abort, because the protocol forbids it for this request. */
  readonly isGreeting?: boolean;
  /** Called before the answer is delivered, if its size on the wire is known. */
  readonly onReceipt?: (receipt: Receipt) => void;
}

export interface Questions {
  ask(method: string, params: JsonObject, options: AskOptions): Promise<JsonObject>;
  /** Inspects a message as it arrived, before it is repaired. */
  peek(message: JSONRPCMessage): void;
  /** Handles the message if it answers one of holt's own requests. Returns false otherwise. */
  take(message: JSONRPCMessage, receipt: Receipt | undefined): boolean;
  close(): void;
}

interface Open {
  readonly onReceipt: AskOptions['onReceipt'];
  readonly refuseOld: boolean;
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: unknown) => void;
}

const prefix = 'holt:';

export function createQuestions(transport: ServerTransport): Questions {
  const open = new Map<string, Open>();
  let count = 0;
  let isClosed = false;
  return {
    ask: async (method, params, options) => {
      options.signal.throwIfAborted();
      if (isClosed) throw new LineClosedError();
      count += 1;
      const id = `${prefix}${count}`;
      try {
        return await askOnce({ id, method, params }, options, transport, (question) =>
          open.set(id, question),
        );
      } finally {
        open.delete(id);
      }
    },
    peek: (message) => {
      if (!('result' in message) || typeof message.id !== 'string') return;
      const question = open.get(message.id);
      if (question?.refuseOld === true && message.result['resultType'] === undefined)
        question.reject(new OldAnswerError());
    },
    take: (message, receipt) => {
      if ('method' in message || typeof message.id !== 'string' || !message.id.startsWith(prefix))
        return false;
      const question = open.get(message.id);
      if (receipt !== undefined) question?.onReceipt?.(receipt);
      if ('error' in message)
        question?.reject(new AnswerError(message.error.code, message.error.message, message.error.data));
      else question?.resolve(message.result);
      return true;
    },
    close: () => {
      isClosed = true;
      for (const { reject } of open.values()) reject(new LineClosedError());
      open.clear();
    },
  };
}

interface Asked {
  readonly id: string;
  readonly method: string;
  readonly params: JsonObject;
}

function askOnce(
  { id, method, params }: Asked,
  options: AskOptions,
  transport: ServerTransport,
  onOpen: (question: Open) => void,
): Promise<JsonObject> {
  const { signal, envelope, refuseOld = false, isGreeting = false, onReceipt } = options;
  const hasOwnStream = envelope !== undefined && transport.hasPerRequestStream === true;
  const body = envelope === undefined ? params : { ...params, _meta: { ...envelope } };
  return new Promise<JsonObject>((resolve, reject) => {
    const onAbort = (): void => {
      // A request with its own stream is cancelled by closing that stream.
      if (!hasOwnStream && !isGreeting) cancel(id, envelope, transport);
      reject(signal.reason as Error); // whatever the caller gave as its reason
    };
    const settle =
      <Value>(then: (value: Value) => void) =>
      (value: Value): void => {
        signal.removeEventListener('abort', onAbort);
        then(value);
      };
    onOpen({ resolve: settle(resolve), reject: settle(reject), refuseOld, onReceipt });
    signal.addEventListener('abort', onAbort, { once: true });
    transport
      .send({ jsonrpc: '2.0', id, method, params: body }, hasOwnStream ? { requestSignal: signal } : {})
      .catch(settle(reject));
  });
}

function cancel(id: string, envelope: JsonObject | undefined, transport: ServerTransport): void {
  const params = {
    requestId: id,
    reason: 'no longer needed',
    ...(envelope === undefined ? {} : { _meta: { ...envelope } }),
  };
  transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params }).catch(() => undefined);
}
