/** Checks, by its first answer, that a server still speaks the remembered protocol. */

import type { DiscoverResult } from '@modelcontextprotocol/client';

import type { JsonObject } from '../../kernel/json.ts';
import { isRefusal } from '../door.ts';
import { listKinds } from '../line/line.ts';
import type { Attempt } from './attempt.ts';
import type { Reading } from './first-lists.ts';
import { greetPartsOf } from './greet-server.ts';
import { probe, type Greeting } from './greet.ts';
import { infoKey } from './probe.ts';

/** Resolves to false if the server must be asked after all. Rejects if the failure is unrelated. */
export async function isMemoryRight(
  { line, recalled }: Greeting,
  reading: Reading,
  attempt: Attempt,
): Promise<boolean> {
  const { signal } = attempt.deadlines;
  const parts = greetPartsOf(attempt, attempt.plan.kind);
  const capabilities = recalled?.capabilities ?? {};
  const offered = listKinds.filter((kind) => capabilities[kind] !== undefined);
  const failed = Promise.race(
    offered.map((kind) =>
      reading.under[kind].list.then(
        () => true,
        (error: unknown) => {
          if (signal.aborted || !(line.isClosed || isRefusal(attempt.explain(error)))) throw error;
          return false;
        },
      ),
    ),
  );
  const first = Promise.race([reading.page.then((page) => isSameServer(page, recalled)), failed]);
  const stop = { timer: (): void => undefined };
  const silence = new Promise<boolean>((resolve) => {
    if (!parts.silenceIsAnswer) return;
    // The server may be slow, or may not understand any request. Asking `server/discover` settles it.
    stop.timer = parts.wake.setTimer(parts.graceMs, () => {
      probe(line, parts, signal).then(
        (verdict) => resolve(verdict.era === 'stateless'),
        () => resolve(false),
      );
    });
  });
  try {
    return await Promise.race([first, silence]);
  } finally {
    stop.timer();
  }
}

/** Stateless servers sign answers with a name and version. Another version may offer other things. */
function isSameServer(page: JsonObject, recalled: DiscoverResult | undefined): boolean {
  const [now, before] = [signatureOf(page), signatureOf(recalled)];
  return now === undefined || before === undefined || now === before;
}

function signatureOf(result: unknown): string | undefined {
  const meta: unknown = Reflect.get(Object(result) as object, '_meta'); // undefined if `result` is not an object
  const info: unknown =
    typeof meta === 'object' && meta !== null && infoKey in meta ? meta[infoKey] : undefined;
  if (typeof info !== 'object' || info === null || !('name' in info) || !('version' in info))
    return undefined;
  return JSON.stringify([info.name, info.version]);
}
