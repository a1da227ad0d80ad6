/** One server under two names: not wrong, but started twice. */

import type { Problem } from '../kernel/problems.ts';
import type { RosterEntry } from './rank.ts';
import { endpointKey } from './same-server.ts';

export function findDuplicates(servers: readonly RosterEntry[]): readonly Problem[] {
  const byEndpoint = new Map<string, RosterEntry>();
  const problems: Problem[] = [];
  for (const entry of servers) {
    if (!entry.definition.enabled) continue;
    const key = endpointKey(entry.definition);
    const first = byEndpoint.get(key);
    if (first === undefined) {
      byEndpoint.set(key, entry);
      continue;
    }
    const { file, line, column } = entry.definition.origin;
    problems.push({
      severity: 'warning',
      code: 'server-duplicate',
      file,
      line,
      column,
      server: entry.ref,
      message: `"${entry.ref}" and "${first.ref}" are the same server under two names`,
      remedy: 'Remove or disable one of them.',
    });
  }
  return problems;
}
