import { describe, expect, test } from 'vitest';

import { makeMachine, memoryFiles } from '../../tests/support/agent-machine.ts';
import { asUsers, projectProgram } from '../../tests/support/sample-servers.ts';
import type { TrustAnswer, TrustQuestion } from '../kernel/interaction.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { StdioPlan } from '../secrets/launch-plan.ts';
import type { resolveLaunch } from '../secrets/resolve-launch.ts';
import type { openTransport } from '../transports/open-transport.ts';
import { loadApprovals } from './load-approvals.ts';
import {
  assertTrusted,
  passTrustGate,
  requireTrusted,
  type TrustedServer,
  type TrustGateParts,
} from './trust-gate.ts';
import type { TrustRecord } from './trust-record.ts';
import type { TrustStore } from './trust-store.ts';

const machine = makeMachine();
const entry = projectProgram('node', ['server.js']);

interface World extends TrustGateParts {
  records: readonly TrustRecord[];
  readonly contents: Record<string, string>;
  readonly asked: TrustQuestion[];
}

/** A machine whose files can change while a question is open. */
function createWorld(answer?: (world: World) => TrustAnswer): World {
  const contents: Record<string, string> = { './server.js': 'run()' };
  const load = (): ReturnType<typeof memoryFiles> => memoryFiles(machine, contents);
  const files = {
    load: (place: string, max: number) => load().load(place, max),
    list: () => [],
    exists: (place: string) => load().exists(place),
  };
  const store: TrustStore = {
    file: '/home/ada/.holt/trust.json',
    load: () => world.records,
    danger: () => undefined,
    change: async (edit) => {
      world.records = edit(world.records);
    },
  };
  const world: World = {
    records: [],
    contents,
    asked: [],
    machine,
    files,
    store,
    loadApprovals: () => loadApprovals(machine, files, { store }),
    now: () => new Date(0),
    ...(answer === undefined
      ? {}
      : {
          confirmTrust: async (question) => {
            world.asked.push(question);
            return answer(world);
          },
        }),
  };
  return world;
}

const refusal = (reason: string): object => ({ code: 'trust-required', details: { server: 'shop', reason } });

describe('the trust gate', () => {
  test('T117: rejects when a script of package.json changes while the question is open', async () => {
    const world = createWorld(({ contents }) => {
      contents['./package.json'] = '{"scripts":{"start":"node evil.js"}}';
      return 'allow';
    });
    world.contents['./package.json'] = '{"scripts":{"start":"node a.js"}}';
    await expect(passTrustGate(projectProgram('npm', ['start']), world)).rejects.toMatchObject(
      refusal('changed'),
    );
    expect(world.asked).toHaveLength(1);
  });

  test('allows a user’s entry without a question', async () => {
    const world = createWorld(() => 'deny');
    expect(await passTrustGate(asUsers(entry), world)).toEqual(asUsers(entry));
    expect([world.asked, world.records]).toEqual([[], []]);
  });

  test('rejects a project’s entry when there is no one to ask', async () => {
    await expect(passTrustGate(entry, createWorld())).rejects.toMatchObject({
      ...refusal('untrusted'),
      message: 'Server "shop" of /srv/shop/.mcp.json:3 is not approved',
      remedy: 'Look at it and approve it with holt trust shop.',
    });
  });

  test('asks once, stores the approval and allows exactly that entry', async () => {
    const world = createWorld(() => 'allow');
    expect(await passTrustGate(entry, world)).toEqual(entry);
    expect(await passTrustGate(entry, { ...world, confirmTrust: undefined })).toEqual(entry);
    expect(world.asked).toHaveLength(1);
    await expect(
      passTrustGate(projectProgram('node', ['-e', 'x']), { ...world, confirmTrust: undefined }),
    ).rejects.toMatchObject(refusal('changed'));
  });

  test('stores a denial, and does not ask again', async () => {
    const world = createWorld(() => 'deny');
    await expect(passTrustGate(entry, world)).rejects.toMatchObject(refusal('denied'));
    await expect(passTrustGate(entry, world)).rejects.toMatchObject(refusal('denied'));
    expect(world.asked).toHaveLength(1);
  });

  test('treats no answer as a refusal, and stores nothing', async () => {
    const world = createWorld(() => 'undecided');
    await expect(passTrustGate(entry, world)).rejects.toMatchObject(refusal('untrusted'));
    expect(world.records).toEqual([]);
  });

  test('shows what changed when it asks again', async () => {
    const world = createWorld(() => 'allow');
    await passTrustGate(entry, world);
    world.contents['./server.js'] = 'run(evil)';
    await passTrustGate(entry, world);
    expect(world.asked.map(({ reason, changes }) => [reason, changes.map(({ path }) => path)])).toEqual([
      ['new', []],
      ['changed', ['content of server.js']],
    ]);
  });

  test('T14: rejects an entry that changes while the question is open', async () => {
    const world = createWorld((open) => {
      open.contents['./server.js'] = 'run(evil)';
      return 'allow';
    });
    await expect(passTrustGate(entry, world)).rejects.toMatchObject(refusal('changed'));
  });

  test('T14: returns a frozen copy', async () => {
    const mutable = structuredClone(entry);
    const trusted = await passTrustGate(
      mutable,
      createWorld(() => 'allow'),
    );
    Object.assign(mutable.launch, { command: 'evil' });
    expect(trusted).toEqual(entry);
    expect(() => Object.assign(trusted.launch, { command: 'evil' })).toThrow(TypeError);
  });

  test('does not ask about entries that the administrator forbids', async () => {
    const world = createWorld(() => 'allow');
    const forbidden = {
      ...world,
      loadApprovals: () => ({ ...world.loadApprovals(), stateOf: () => 'blocked' as const }),
    };
    await expect(passTrustGate(entry, forbidden)).rejects.toMatchObject({
      ...refusal('blocked'),
      remedy: 'Ask the administrator of this machine.',
    });
    expect(world.asked).toEqual([]);
  });

  test('does not ask about entries that an approval cannot cover', async () => {
    const world = createWorld(() => 'allow');
    const pipe = { ...world.files, load: () => ({ kind: 'not-regular', what: 'a named pipe' }) as const };
    const parts = {
      ...world,
      files: pipe,
      loadApprovals: () =>
        loadApprovals(machine, { ...pipe, load: onlyServer(pipe.load) }, { store: world.store }),
    };
    await expect(passTrustGate(entry, parts)).rejects.toMatchObject({
      message:
        'Server "shop" of /srv/shop/.mcp.json:3 cannot be approved: server.js cannot be read completely',
    });
    expect(world.asked).toEqual([]);
  });
});

type Load = World['files']['load'];
const onlyServer =
  (load: Load): Load =>
  (place, max) =>
    place.endsWith('server.js') ? load(place, max) : { kind: 'missing' };

describe('without the gate', () => {
  test('a plain definition is rejected at run time', () => {
    expect(() => requireTrusted(entry, createWorld().loadApprovals())).toThrow(
      expect.objectContaining(refusal('untrusted')),
    );
    const forged = structuredClone(entry) as TrustedServer; // what a program without a compiler could do
    expect(() => assertTrusted(forged)).toThrow(expect.objectContaining(refusal('untrusted')));
  });

  test('a copy of a trusted definition is rejected too', async () => {
    const trusted = await passTrustGate(
      entry,
      createWorld(() => 'allow'),
    );
    expect(assertTrusted(trusted)).toBeUndefined();
    const altered = { ...trusted, launch: { ...trusted.launch, command: 'evil' } } as TrustedServer; // the same
    expect(() => assertTrusted(altered)).toThrow(expect.objectContaining(refusal('untrusted')));
  });

  test('the compiler rejects a plain definition for resolveLaunch, and a hand-made plan for openTransport', () => {
    // The parameter types of the real functions, so that they cannot accept more without failing here.
    const wantsTrusted = (server: Parameters<typeof resolveLaunch>[0]): string => server.name;
    const wantsPlan = (plan: Parameters<typeof openTransport>[0]): string => plan.server;
    const definition: ServerDefinition = entry;
    const ownPlan: StdioPlan = {
      kind: 'stdio',
      server: 'shop',
      program: '/bin/sh',
      args: [],
      env: {},
      cwd: '/',
    };
    // @ts-expect-error a definition has not passed the gate
    expect(wantsTrusted(definition)).toBe('shop');
    // @ts-expect-error a plan comes from resolveLaunch and from nowhere else
    expect(wantsPlan(ownPlan)).toBe('shop');
    // @ts-expect-error a definition is no plan
    expect(wantsPlan(definition)).toBeUndefined();
  });
});
