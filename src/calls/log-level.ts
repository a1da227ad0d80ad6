/**
 * In the stateless protocol a server tells of its work only in answer to a request that asks for it; without a word about
 * it, it is silent.
 */

import type { JsonObject } from '../catalog/tool-info.ts';
import type { Session } from '../connection/session.ts';

const levelKey = 'io.modelcontextprotocol/logLevel';

/** What goes with a request; `given` wins. Nothing is added for servers that log to everybody, or never. */
export function withLogLevel(
  given: JsonObject | undefined,
  { era, capabilities }: Pick<Session, 'era' | 'capabilities'>,
  level: string | undefined,
): JsonObject | undefined {
  if (level === undefined || era !== 'stateless' || capabilities.logging === undefined) return given;
  return { [levelKey]: level, ...given };
}
