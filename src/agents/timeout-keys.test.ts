/** The key that a message names for more time is one that the agent's format really reads. */

import { expect, test } from 'vitest';

import { limitsFor } from '../connection/limits.ts';
import { parseJson } from '../documents/json.ts';
import { createLineIndex } from '../documents/tree.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { makeMachine } from '../../tests/support/agent-machine.ts';
import { defined, place, program } from '../../tests/support/golden-file.ts';
import type { AgentFormat, EntryContext } from './agent-format.ts';
import { allAgents } from './all-agents.ts';
import { timeoutKeyOf, type LimitName } from './timeout-keys.ts';

/** What the agent makes of an entry with this key. */
function readWith({ id, read }: AgentFormat, key: string, value: number): ServerDefinition {
  const [outer = '', inner] = key.split('.');
  const limit = { [outer]: inner === undefined ? value : { [inner]: value } };
  const text = JSON.stringify({ type: 'stdio', command: 'x', cmd: 'x', enabled: true, ...limit });
  const document = parseJson(text, { bom: false, utf16: false });
  if (!document.ok || document.root?.kind !== 'object') throw new Error(text);
  const node = document.root;
  const context: EntryContext = {
    file: {
      location: { path: '/f', scope: 'user', guarded: false, format: 'json' },
      path: '/f',
      root: node,
      machine: makeMachine(),
      position: createLineIndex(text),
      report: () => undefined,
    },
    entry: { name: 'x', node, at: 0 },
    inputs: [],
    report: () => undefined,
  };
  const reading = read(node, context);
  if (reading === undefined) throw new Error(`${id} does not read ${text}`);
  return { ...defined('x', { launch: reading.launch, origin: place(id, 'user', '/f')(1, 1) }), ...reading };
}

const names: readonly LimitName[] = ['start', 'initializing', 'listing_tools', 'idle', 'total'];
const rows = allAgents.flatMap((format) =>
  names.flatMap((limit) => {
    const origin = place(format.id, 'user', '/f')(1, 1);
    const found = timeoutKeyOf(defined('x', { launch: program('x'), origin }), limit);
    return found === undefined ? [] : [{ agent: format.id, limit, found, format }];
  }),
);

test.each(rows)('$agent: $found.key raises $limit', ({ format, limit, found: { key, unit } }) => {
  const ms = 3_600_000;
  const limits = limitsFor(readWith(format, key, unit === 'seconds' ? ms / 1000 : ms));
  const isPhase = limit !== 'start' && limit !== 'idle' && limit !== 'total';
  if (isPhase) expect(limits.phases[limit]).toBe(ms);
  else expect(limits[`${limit}Ms`] >= ms).toBe(true);
});

test.each(['chimera-mink', 'chimera-otter', 'claude-code', 'holt', 'mcp-json', 'omp'])(
  'phase_timeouts counts in files of %s, in seconds',
  (agent) => {
    const format = allAgents.find(({ id }) => id === agent);
    const definition = format === undefined ? undefined : readWith(format, 'phase_timeouts.handshaking', 12);
    expect(definition?.timeouts).toEqual({ phases: { handshaking: 12_000 } });
  },
);
