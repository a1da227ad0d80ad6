/**
 * A stateful server may reject a call until the user has visited certain pages. The elicitation handler shows
 * the pages, and after a yes the call is repeated. The yes may come when a page has only just been opened: if
 * the server rejects the call again, its notification that the visit is complete is awaited, and the call is
 * repeated for the last time.
 */

import type { JsonObject } from '../kernel/json.ts';

/** Waits for the server's notifications that pages are complete. */
export interface PageVisit {
  /** Settles when all pages are complete. `signal` ends a wait that is longer than the call may take. */
  done(signal: AbortSignal): Promise<void>;
  stop(): void;
}

export interface VisitParts {
  /** Passes a page to the elicitation handler. */
  readonly answer: (asked: { readonly method: string; readonly params: JsonObject }) => Promise<unknown>;
  readonly watch: (ids: readonly string[]) => PageVisit;
  readonly signal: () => AbortSignal;
}

interface Page {
  readonly url: string;
  readonly message: string;
  readonly elicitationId: string;
}

const pagesNeeded = -32_042;

/** `error` is the server's rejection. It is thrown again if there is no page or a visit is declined. */
export async function visitPages(
  error: unknown,
  send: () => Promise<JsonObject>,
  { answer, watch, signal }: VisitParts,
): Promise<JsonObject> {
  const pages = pagesIn(error);
  if (pages.length === 0) throw error;
  // Watch before asking: the visit may be complete before the answer arrives.
  const visit = watch(pages.map(({ elicitationId }) => elicitationId));
  try {
    for (const page of pages) {
      const params = { mode: 'url', ...page };
      if (!isYes(await answer({ method: 'elicitation/create', params }))) throw error;
    }
    return await sendAgain(pages, send, () => visit.done(signal()));
  } finally {
    visit.stop();
  }
}

async function sendAgain(
  pages: readonly Page[],
  send: () => Promise<JsonObject>,
  visited: () => Promise<void>,
): Promise<JsonObject> {
  try {
    return await send();
  } catch (error) {
    // The server cannot report the completion of a page without an id.
    if (pagesIn(error).length === 0 || pages.some(({ elicitationId }) => elicitationId === '')) throw error;
  }
  await visited();
  return send();
}

/** The pages that must be visited before the call can work. Empty for any other error. */
export function pagesIn(error: unknown): readonly Page[] {
  const { code, data } = (error instanceof Error ? error : {}) as {
    readonly code?: unknown;
    readonly data?: unknown;
  }; // read, not trusted
  if (code !== pagesNeeded || typeof data !== 'object' || data === null || !('elicitations' in data))
    return [];
  const { elicitations } = data;
  return (Array.isArray(elicitations) ? elicitations : []).flatMap((one: unknown) => pageOf(one));
}

function pageOf(one: unknown): readonly Page[] {
  const { url, message, elicitationId } = (typeof one === 'object' && one !== null ? one : {}) as JsonObject; // read, not trusted
  if (typeof url !== 'string') return [];
  return [{ url, message: textOf(message), elicitationId: textOf(elicitationId) }];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isYes(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'action' in answer && answer.action === 'accept';
}
