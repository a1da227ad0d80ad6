import { describe, expect, test } from 'vitest';

import type { AgentId } from '../kernel/agent-ids.ts';
import type { Timeouts } from '../kernel/phases.ts';
import type { Launch, ServerDefinition } from '../kernel/servers.ts';
import { limitsFor, timeoutError, type PassedLimit } from './limits.ts';

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
    const { advice: _advice, ...limits } = limitsFor(definition());
    expect(limits).toEqual({
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
    expect(limitsFor(definition({}, { ...http, kind })).phases.connecting).toBe(30_000);
  });

  test.each(['opencode', 'chimera-otter', 'kilo'] as const)(
    'a call of %s may be silent for thirty seconds',
    (agent) => {
      expect(limitsFor(definition({}, stdio, agent)).idleMs).toBe(30_000);
      expect(limitsFor(definition({ idleMs: 7000 }, stdio, agent)).idleMs).toBe(7000);
    },
  );

  test('what a definition says comes before what the program says, and that before the settings', () => {
    const settings = { startMs: 1, idleMs: 2, totalMs: 3, phases: { connecting: 4, initializing: 5 } };
    const program = { idleMs: 20, totalMs: 30, phases: { initializing: 50 } };
    const own = { totalMs: 300, phases: { listing_tools: 600 } };
    const limits = limitsFor(definition(own), { settings, program });
    expect([limits.startMs, limits.idleMs, limits.totalMs]).toEqual([1, 20, 300]);
    expect(limits.phases).toMatchObject({
      connecting: 4,
      initializing: 50,
      listing_tools: 600,
      listing_prompts: 10_000,
    });
  });

  test('zero means no limit', () => {
    const limits = limitsFor(definition({ idleMs: 0, totalMs: 0, startMs: 0, phases: { connecting: 0 } }));
    expect([limits.idleMs, limits.totalMs, limits.startMs, limits.phases.connecting]).toEqual([
      Infinity,
      Infinity,
      Infinity,
      Infinity,
    ]);
  });

  test('phase_timeouts.executing is the silence a call may keep', () => {
    expect(limitsFor(definition({ phases: { executing: 9000 } })).idleMs).toBe(9000);
    expect(limitsFor(definition({ idleMs: 8000, phases: { executing: 9000 } })).idleMs).toBe(8000);
  });
});

describe('a definition that gives its start more time', () => {
  test('gives it to every phase that it does not bound itself, and no phase less', () => {
    const own = { startMs: 60_000, phases: { listing_tools: 700 } };
    expect(limitsFor(definition(own), { settings: { phases: { initializing: 50 } } })).toMatchObject({
      startMs: 60_000,
      phases: { connecting: 90_000, initializing: 60_000, listing_prompts: 60_000, listing_tools: 700 },
    });
  });

  test.each(['opencode', 'otter', 'omp'] as const)(
    'is patient by itself where its dialect is %s',
    (dialect) => {
      expect(limitsFor({ ...definition(), dialect }).phases).toMatchObject({
        connecting: 90_000,
        initializing: 30_000,
        handshaking: 5000,
        listing_tools: 30_000,
      });
    },
  );
});

describe('a limit that passes', () => {
  const told = (of: ServerDefinition, passed: PassedLimit, program: Timeouts = {}): string =>
    timeoutError('github', passed, limitsFor(of, { program }).advice).message;
  const initializing = { phase: 'initializing', limit: 'phase', afterMs: 10_000 } as const;
  const start = { phase: 'connecting', limit: 'start', afterMs: 1500 } as const;

  test('names itself, and the key in the file that the server comes from', () => {
    const error = timeoutError('github', initializing, limitsFor(definition()).advice);
    expect(error.message).toBe(
      'Failed to connect to "github": no answer in phase initializing after 10 s. Raise phase_timeouts.initializing (seconds) in /f:1 if it needs longer, or see what it is doing with holt logs github.',
    );
    expect(error.details).toEqual({ server: 'github', phase: 'initializing', afterMs: 10_000 });
    expect(told(definition(), start)).toContain(
      'no answer in phase connecting after 1.5 s. Raise timeouts.startMs (milliseconds) in /f:1 ',
    );
  });

  test.each([
    ['opencode', 'Raise timeout (milliseconds) in /f:1 '],
    ['omp', 'Raise timeout (milliseconds) in /f:1 '],
    ['codex', 'Raise startup_timeout_sec (seconds) in /f:1 '],
    ['mcp-json', 'Raise phase_timeouts.initializing (seconds) in /f:1 '],
    ['cursor', 'Raise the limit with holt config set timeouts.phases.initializing 30000 '],
  ] as const)('names what there is for %s', (agent, words) => {
    expect(told(definition({}, stdio, agent), initializing)).toContain(words);
  });

  test('names the option of the program, where that is what counts', () => {
    const program = { phases: { initializing: 10_000 }, startMs: 1500 };
    const cursor = definition({}, stdio, 'cursor');
    expect(told(cursor, initializing, program)).toContain('Raise timeouts.phases.initializing of openHost ');
    expect(told(cursor, start, program)).toContain('Raise timeouts.startMs of openHost ');
  });

  test('names the definition of a server that is in no file', () => {
    const runtime = { ...definition(), origin: { ...definition().origin, file: '' } };
    expect(told(runtime, initializing)).toContain(
      'Raise phase_timeouts.initializing (seconds) in the definition of "x" ',
    );
    expect(told({ ...runtime, dialect: 'opencode' }, initializing)).toContain(
      'Raise timeout (milliseconds) in the definition of "x" ',
    );
  });
});
