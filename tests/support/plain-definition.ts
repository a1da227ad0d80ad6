/** A user-scope definition in which only dialect and launch matter. */

import type { DialectId, Launch, ServerDefinition } from '../../src/kernel/servers.ts';

export function plainDefinition(dialect: DialectId, launch: Launch): ServerDefinition {
  const origin = { agent: 'holt', scope: 'user', file: '/f', line: 1, column: 1 } as const;
  return {
    name: 's',
    launch,
    enabled: true,
    timeouts: {},
    dialect,
    origin,
    guarded: false,
    parts: [origin],
    alsoIn: [],
  };
}
