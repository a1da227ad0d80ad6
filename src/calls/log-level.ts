/** A stateless server sends log messages only in response to a request that sets a log level. */

import type { JsonObject } from '../kernel/json.ts';
import type { Session } from '../connection/session.ts';

const levelKey = 'io.modelcontextprotocol/logLevel';

/**
 * Returns the `_meta` for a request; values in `given` win. Adds nothing for stateful servers and for servers
 * that do not log.
 */
export function withLogLevel(
  given: JsonObject | undefined,
  { era, capabilities }: Pick<Session, 'era' | 'capabilities'>,
  level: string | undefined,
): JsonObject | undefined {
  if (level === undefined || era !== 'stateless' || capabilities.logging === undefined) return given;
  return { [levelKey]: level, ...given };
}
