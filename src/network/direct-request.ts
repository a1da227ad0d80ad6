/**
 * One request without the machinery of fetch, which costs several times what the request itself does: web streams, signals
 * and copies of everything. A short JSON answer, and nearly all are, is gathered as it comes; any other is a stream as usual.
 */

import { Buffer } from 'node:buffer';

import type { Dispatcher } from 'undici/index.js';

export interface DirectRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Rejects with what broke it before there was an answer. What breaks the answer itself shows when that is read. */
export function requestDirectly(
  dispatcher: Pick<Dispatcher, 'dispatch'>,
  { url, method, headers, body }: DirectRequest,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const options: Dispatcher.DispatchOptions = {
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method,
      headers: { 'accept-encoding': 'gzip, deflate', ...headers },
      body,
    };
    dispatcher.dispatch(options, answerHandler(resolve, reject));
  });
}

/** Takes in what follows the head of an answer. */
interface Intake {
  /** False to be asked again later. */
  take(chunk: Buffer): boolean;
  end(): void;
  fail(error: Error): void;
}

function answerHandler(
  resolve: (response: Response) => void,
  reject: (error: Error) => void,
): Dispatcher.DispatchHandler {
  let abort: ((error?: Error) => void) | undefined;
  let intake: Intake | undefined;
  return {
    onConnect: (giveUp) => {
      abort = giveUp;
    },
    onHeaders: (status, raw, _resume, statusText) => {
      // What is told before the answer is none.
      if (status < 200) return true;
      const init = { status, statusText, headers: headersOf(raw) };
      if (isWholeJson(status, init.headers)) {
        const gathering = gather();
        intake = gathering;
        resolve(new GatheredResponse(gathering.text, init));
      } else {
        const streaming = stream((error) => abort?.(error));
        intake = streaming;
        resolve(streamedResponse(streaming.body, init));
      }
      return true;
    },
    onData: (chunk) => intake?.take(chunk) ?? true,
    onComplete: () => intake?.end(),
    onError: (error) => {
      if (intake === undefined) reject(error);
      else intake.fail(error);
    },
  };
}

type Init = { readonly status: number; readonly statusText: string; readonly headers: Headers };

function headersOf(raw: readonly Buffer[]): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < raw.length; at += 2)
    headers.append(raw[at]?.toString('latin1') ?? '', raw[at + 1]?.toString('latin1') ?? '');
  return headers;
}

function isWholeJson(status: number, headers: Headers): boolean {
  return (
    status === 200 &&
    headers.get('content-type')?.startsWith('application/json') === true &&
    !headers.has('content-encoding')
  );
}

/** An answer that can be read as text or JSON, and in no other way. */
class GatheredResponse extends Response {
  override readonly text: () => Promise<string>;
  override readonly json: () => Promise<unknown>;

  constructor(text: Promise<string>, init: Init) {
    super(null, init);
    this.text = () => text;
    this.json = async () => JSON.parse(await text) as unknown;
  }
}

function gather(): Intake & { readonly text: Promise<string> } {
  const chunks: Buffer[] = [];
  let done: ((text: string) => void) | undefined;
  let fail: Intake['fail'] | undefined;
  const text = new Promise<string>((resolve, reject) => {
    done = resolve;
    fail = reject;
  });
  // Nobody may ever read it.
  text.catch(() => undefined);
  return {
    text,
    take: (chunk) => {
      chunks.push(chunk);
      return true;
    },
    // Decoded as a whole: a character may lie across two chunks.
    end: () => done?.(decoder.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))),
    fail: (error) => fail?.(error),
  };
}

/** As fetch reads text: without a mark at its beginning. */
const decoder = new TextDecoder();

/** It is never held up: what one message may be is limited below, and whoever reads it takes it as it comes. */
function stream(abort: (error?: Error) => void): Intake & { readonly body: ReadableStream<Uint8Array> } {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given;
    },
    cancel: () => {
      controller = undefined;
      abort(new DOMException('given up', 'AbortError'));
    },
  });
  return {
    body,
    take: (chunk) => {
      controller?.enqueue(chunk);
      return true;
    },
    end: () => controller?.close(),
    fail: (error) => controller?.error(error),
  };
}

const unpackers: Readonly<Record<string, 'gzip' | 'deflate'>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
};
/** Answers of these have nothing in them. */
const empty: ReadonlySet<number> = new Set([204, 205, 304]);

function streamedResponse(body: ReadableStream<Uint8Array>, init: Init): Response {
  if (empty.has(init.status)) return new Response(null, init);
  const unpacker = unpackers[init.headers.get('content-encoding')?.trim().toLowerCase() ?? ''];
  return new Response(
    unpacker === undefined ? body : body.pipeThrough(new DecompressionStream(unpacker)),
    init,
  );
}
