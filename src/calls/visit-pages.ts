/**
 * A stateful server may turn a call down until pages were visited. They are shown to whoever answers for the call; after a
 * yes it is made again. A yes may come with the page only just opened: where the server still says no, its word that the
 * visit is over is waited for, and the call is made for the last time.
 */

import type { JsonObject } from '../catalog/tool-info.ts';

/** Waits for a server's word that pages are done with. */
export interface PageVisit {
  /** Settles when all are. Whoever waits longer than the call may take is stopped by `signal`. */
  done(signal: AbortSignal): Promise<void>;
  stop(): void;
}

export interface VisitParts {
  /** Shows one of them to whoever answers for the call. */
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

/** `error` is why the call was turned down; it is thrown again where there is nothing to visit, or nobody does. */
export async function visitPages(
  error: unknown,
  send: () => Promise<JsonObject>,
  { answer, watch, signal }: VisitParts,
): Promise<JsonObject> {
  const pages = pagesIn(error);
  if (pages.length === 0) throw error;
  // From before anybody is asked: the visit may be over before the answer is here.
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
    // Of a page without an id nothing more will be heard.
    if (pagesIn(error).length === 0 || pages.some(({ elicitationId }) => elicitationId === '')) throw error;
  }
  await visited();
  return send();
}

/** The addresses that have to be visited before the call can work; none for any other error. */
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
