/**
 * Sends one request without fetch, whose web streams, signals and copies cost several times as much as the
 * request. An uncompressed JSON response, the usual case, is collected as it arrives; any other response is a
 * stream.
 */

import { Buffer } from 'node:buffer';

import type { Dispatcher } from 'undici/index.js';

export interface DirectRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/**
 * Rejects if the request fails before the response headers arrive.
 * A later failure surfaces when the body is read.
 */
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

/** Consumes the body of a response. */
interface Intake {
  /** Returns false to pause the response. */
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
      // Skip informational (1xx) responses.
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

/** A response that supports only `text()` and `json()`. */
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
  // Prevents an unhandled rejection if the caller never reads the text.
  text.catch(() => undefined);
  return {
    text,
    take: (chunk) => {
      chunks.push(chunk);
      return true;
    },
    // Decode the whole body in one go: a character may span two chunks.
    end: () => done?.(decoder.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))),
    fail: (error) => fail?.(error),
  };
}

/** Drops a leading byte order mark, as fetch does. */
const decoder = new TextDecoder();

/**
 * Applies no backpressure: a lower layer limits the message size, and the reader takes chunks as they arrive.
 */
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
/** Responses with these statuses have no body. */
const empty: ReadonlySet<number> = new Set([204, 205, 304]);

function streamedResponse(body: ReadableStream<Uint8Array>, init: Init): Response {
  if (empty.has(init.status)) return new Response(null, init);
  const unpacker = unpackers[init.headers.get('content-encoding')?.trim().toLowerCase() ?? ''];
  return new Response(
    unpacker === undefined ? body : body.pipeThrough(new DecompressionStream(unpacker)),
    init,
  );
}
