import { describe, expect, test } from 'vitest';

import type { AgentId } from '../kernel/agent-ids.ts';
import type { Timeouts } from '../kernel/phases.ts';
import type { Launch, ServerDefinition } from '../kernel/servers.ts';
import { limitsFor, timeoutError } from './limits.ts';

const stdio: Launch = { kind: 'stdio', command: 'x', args: [], env: {}, envFrom: {} };
const http: Launch = { kind: 'http', url: 'https://x.test', headers: {}, headersFrom: {} };

function definition(
  timeouts: Timeouts = {},
  launch: Launch = stdio,
  agent: AgentId = 'holt',
): ServerDefinition {
  const origin = { agent, scope: 'user', file: '/f', line: 1, column: 1 } as const;
  return {
    name: 'x',
    launch,
    enabled: true,
    timeouts,
    dialect: 'holt',
    origin,
    guarded: false,
    parts: [origin],
    alsoIn: [],
  };
}

describe('limits', () => {
  test('are the usual ones when nobody says otherwise', () => {
    expect(limitsFor(definition(), [])).toEqual({
      startMs: Infinity,
      idleMs: 120_000,
      totalMs: 600_000,
      phases: {
        disconnected: Infinity,
        connecting: 90_000,
        initializing: 10_000,
        handshaking: 5000,
        listing_resources: 10_000,
        listing_tools: 10_000,
        listing_prompts: 10_000,
        ready: Infinity,
        executing: Infinity,
        cleaning_up: 5000,
        failed: Infinity,
      },
    });
  });

  test.each(['http', 'sse', 'ws'] as const)('%s has thirty seconds to connect', (kind) => {
    expect(limitsFor(definition({}, { ...http, kind }), []).phases.connecting).toBe(30_000);
  });

  test.each(['opencode', 'chimera-otter', 'kilo'] as const)(
    'a call of %s may be silent for thirty seconds',
    (agent) => {
      expect(limitsFor(definition({}, stdio, agent), []).idleMs).toBe(30_000);
      expect(limitsFor(definition({ idleMs: 7000 }, stdio, agent), []).idleMs).toBe(7000);
    },
  );

  test('what a definition says comes before what the program says, and that before the settings', () => {
    const settings = { startMs: 1, idleMs: 2, totalMs: 3, phases: { connecting: 4, initializing: 5 } };
    const program = { idleMs: 20, totalMs: 30, phases: { initializing: 50 } };
    const own = { totalMs: 300, phases: { listing_tools: 600 } };
    const limits = limitsFor(definition(own), [settings, program]);
    expect([limits.startMs, limits.idleMs, limits.totalMs]).toEqual([1, 20, 300]);
    expect(limits.phases).toMatchObject({
      connecting: 4,
      initializing: 50,
      listing_tools: 600,
      listing_prompts: 10_000,
    });
  });

  test('zero means no limit', () => {
    const limits = limitsFor(
      definition({ idleMs: 0, totalMs: 0, startMs: 0, phases: { connecting: 0 } }),
      [],
    );
    expect([limits.idleMs, limits.totalMs, limits.startMs, limits.phases.connecting]).toEqual([
      Infinity,
      Infinity,
      Infinity,
      Infinity,
    ]);
  });

  test('phase_timeouts.executing is the silence a call may keep', () => {
    expect(limitsFor(definition({ phases: { executing: 9000 } }), []).idleMs).toBe(9000);
    expect(limitsFor(definition({ idleMs: 8000, phases: { executing: 9000 } }), []).idleMs).toBe(8000);
  });
});

describe('a limit that passes', () => {
  test('names itself', () => {
    const error = timeoutError('github', { phase: 'initializing', limit: 'phase', afterMs: 10_000 });
    expect(error.message).toMatch(
      /^Failed to connect to "github": no answer in phase initializing after 10 s\. Raise phase_timeouts\.initializing /,
    );
    expect(error.details).toEqual({ server: 'github', phase: 'initializing', afterMs: 10_000 });
  });

  test('names the limit over the whole start when it was that one', () => {
    const error = timeoutError('github', { phase: 'connecting', limit: 'start', afterMs: 1500 });
    expect(error.message).toMatch(/no answer in phase connecting after 1\.5 s\. Raise timeouts\.startMs /);
  });
});
