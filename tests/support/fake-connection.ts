/** A connection to a fake server, with everything that a host would give it. */

import type { BackoffOptions } from '../../src/connection/backoff.ts';
import { createCatalogBudget } from '../../src/connection/catalog-budget.ts';
import { Connection } from '../../src/connection/connection.ts';
import type { ConnectionParts } from '../../src/connection/connection-parts.ts';
import { createEraMemory, type EraMemory } from '../../src/connection/era-memory.ts';
import { limitsFor } from '../../src/connection/limits.ts';
import type { Tuning } from '../../src/connection/start/attempt.ts';
import { createStartSlots } from '../../src/connection/start/start-slots.ts';
import { createWakeWatch } from '../../src/connection/wake-watch.ts';
import type { Emit, HostEventName } from '../../src/kernel/events.ts';
import type { Timeouts } from '../../src/kernel/phases.ts';
import type { ServerDefinition } from '../../src/kernel/servers.ts';
import { realClock, type Clock } from '../../src/platform/clock.ts';
import type { LaunchPlan } from '../../src/secrets/launch-plan.ts';
import { SecretValue } from '../../src/masking/redactor.ts';
import type { TrustedServer } from '../../src/trust/trust-gate.ts';
import type { FakeServer } from './fake-server.ts';

export interface FakeConnectionOptions {
  readonly clock?: Clock;
  readonly timeouts?: Timeouts;
  readonly eras?: EraMemory;
  readonly tuning?: Partial<Tuning>;
  readonly backoff?: BackoffOptions;
  readonly kind?: 'stdio' | 'http' | 'sse' | 'ws';
  readonly parts?: Partial<ConnectionParts>;
  /** The end of whoever had its name before. */
  readonly closing?: Promise<void>;
}

export interface Told {
  readonly name: HostEventName;
  readonly event: Readonly<Record<string, unknown>>;
}

export function memoryOnly(): EraMemory {
  let document: unknown;
  return createEraMemory({
    store: {
      load: () => document,
      change: (edit) => {
        document = edit(document);
        return Promise.resolve();
      },
    },
    wallNow: () => 0,
  });
}

function planOf(kind: 'stdio' | 'http' | 'sse' | 'ws', server: string): LaunchPlan {
  const plan =
    kind === 'stdio'
      ? { kind, server, program: '/bin/fake', args: [], env: {}, cwd: '/' }
      : {
          kind,
          server,
          url: new SecretValue('https://fake.test/mcp'),
          origin: 'https://fake.test',
          headers: {},
        };
  return plan as LaunchPlan; // no values to fill in
}

export function connectTo(server: FakeServer, options: FakeConnectionOptions = {}) {
  const { clock = realClock, kind = 'stdio', timeouts = {} } = options;
  const told: Told[] = [];
  const opened: string[] = [];
  const origin = { agent: 'holt', scope: 'user', file: '/f', line: 1, column: 1 } as const;
  const definition: ServerDefinition = {
    name: 'fake',
    launch: { kind: 'stdio', command: 'fake', args: [], env: {}, envFrom: {} },
    enabled: true,
    timeouts,
    dialect: 'holt',
    origin,
    guarded: false,
    parts: [origin],
    alsoIn: [],
  };
  const wake = createWakeWatch({ clock, wallNow: () => clock.now() });
  const entry = { ref: 'fake', definition, trust: 'open' } as const;
  const emit: Emit = (name, event) => void told.push({ name, event });
  const parts: ConnectionParts = {
    clock,
    wake,
    wallNow: () => clock.now(),
    slots: createStartSlots(8),
    catalog: createCatalogBudget(() => ({ listBytes: 64 << 20, catalogBytes: 256 << 20 })),
    eras: options.eras ?? memoryOnly(),
    sender: { info: { name: 'holt', version: '0' }, capabilities: {} },
    tuning: { graceMs: 100, slotMs: 300, ...options.tuning },
    open: (_plan, asked) => {
      opened.push(asked);
      return server.open();
    },
    emit,
    onStatus: (status) => emit('mcp.status.changed', { server: 'fake', status }),
    onListChanged: (ref, list) => emit(`mcp.${list}.changed`, { server: ref }),
    redact: (text) => text,
    admit: ({ definition: admitted }) => Promise.resolve(admitted as TrustedServer), // nothing to ask about here
    resolve: () => Promise.resolve(planOf(kind, 'fake')),
    hasNewLogin: () => Promise.resolve(false),
    answer: () => Promise.reject(new Error('nothing is answered here')),
    onNotification: () => undefined,
    limitsOf: (of) => limitsFor(of.definition),
    eraKeyOf: () => 'fake',
    debug: () => undefined,
    backoff: { random: () => 0.5, ...options.backoff },
    ...options.parts,
  };
  const connection = new Connection(entry, parts, options.closing);
  return {
    connection,
    parts,
    told,
    opened,
    entry,
    wake,
    /** Steps of phases so far, as `from>to`. */
    steps: () =>
      told
        .filter(({ name }) => name === 'mcp.phase')
        .map(({ event }) => `${String(event['from'])}>${String(event['to'])}`),
    names: (name: HostEventName) => told.filter((one) => one.name === name).map(({ event }) => event),
  };
}
