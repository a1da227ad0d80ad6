import { describe, expect, test } from 'vitest';

import { makeMachine, memoryFiles, type AgentCase } from '../../tests/support/agent-machine.ts';
import { asUsers, projectProgram, withOutcomes } from '../../tests/support/sample-servers.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { FileFacts } from '../platform/files/files.ts';
import { fingerprint } from './fingerprint.ts';
import { loadApprovals, type ApprovalOptions, requireOwnHoltHome, requireDigests } from './load-approvals.ts';
import { decisionRecord, type TrustRecord } from './trust-record.ts';
import type { Approvals } from './trust-state.ts';
import type { TrustStore } from './trust-store.ts';

const entry = projectProgram('node', ['server.js']);
const changed = projectProgram('node', ['other.js']);

function storeWith(records: readonly TrustRecord[]): TrustStore & { loads: number } {
  const store = {
    file: '/home/ada/.holt/trust.json',
    loads: 0,
    load: () => {
      store.loads += 1;
      return records;
    },
    danger: () => undefined,
    change: () => Promise.reject(new Error('nothing is written here')),
  };
  return store;
}

interface World extends Partial<AgentCase> {
  readonly records?: readonly TrustRecord[];
  readonly options?: ApprovalOptions;
  readonly facts?: Partial<FileFacts>;
}

function approvalsFor({ records = [], options = {}, facts, ...agentCase }: World = {}): Approvals {
  const machine = makeMachine(agentCase);
  const files = memoryFiles(machine, agentCase.files ?? {});
  const on = {
    ...files,
    load: (place: string, maxBytes: number) => {
      const outcome = files.load(place, maxBytes);
      return outcome.kind === 'file' && facts !== undefined
        ? { ...outcome, facts: { ...outcome.facts, ...facts } }
        : outcome;
    },
  };
  return loadApprovals(machine, on, {
    store: storeWith(records),
    identity: { uid: 1000, gid: 1000 },
    ...options,
  });
}

function decided(
  definition: ServerDefinition,
  verdict: TrustRecord['verdict'],
  world: World = {},
): TrustRecord {
  const machine = makeMachine(world);
  const approvals = approvalsFor(world);
  return decisionRecord(definition, verdict, { machine, approvals, now: () => new Date(0) });
}

describe('the state of an entry', () => {
  test('is open for a user’s file, and no decisions are loaded', () => {
    const store = storeWith([]);
    const approvals = approvalsFor({ options: { store } });
    expect([approvals.stateOf(asUsers(entry)), store.loads, approvals.problems]).toEqual(['open', 0, []]);
  });

  test('is the decision about exactly this entry for a project’s file', () => {
    expect(approvalsFor().stateOf(entry)).toBe('untrusted');
    expect(approvalsFor({ records: [decided(entry, 'approved')] }).stateOf(entry)).toBe('approved');
    expect(approvalsFor({ records: [decided(entry, 'denied')] }).stateOf(entry)).toBe('denied');
    expect(approvalsFor({ records: [decided(entry, 'approved')] }).stateOf(changed)).toBe('changed');
    expect(approvalsFor({ records: [decided(entry, 'denied')] }).stateOf(changed)).toBe('untrusted');
  });

  test('ignores decisions about other projects', () => {
    const other = { ...entry, name: 'other' };
    const records = [decided(other, 'approved'), decided(entry, 'approved', { projectRoot: '/srv/clone' })];
    expect(approvalsFor({ records }).stateOf(entry)).toBe('untrusted');
  });

  test('ignores a record with the right digest under another name or file', () => {
    const right = decided(entry, 'approved');
    const records = [
      { ...right, name: 'other' },
      { ...right, file: '/srv/shop/x.json' },
      { ...right, project: '/' },
    ];
    expect(approvalsFor({ records }).stateOf(entry)).toBe('untrusted');
  });

  test('is blocked when the administrator forbids it, approved or not, the user’s or not', () => {
    const files = { '/etc/holt/managed.json': '{"deniedServers":[{"name":"shop"}]}' };
    const approvals = approvalsFor({ files, records: [decided(entry, 'approved')] });
    expect([approvals.stateOf(entry), approvals.stateOf(asUsers(entry))]).toEqual(['blocked', 'blocked']);
  });

  test('is never approved when a named file cannot be read completely', () => {
    const machine = makeMachine();
    const files = withOutcomes(memoryFiles(machine, {}), {
      '/srv/shop/server.js': { kind: 'not-regular', what: 'a named pipe' },
    });
    const { digest } = fingerprint(entry, machine, files);
    const approvals = loadApprovals(machine, files, { store: storeWith([]), digests: [digest] });
    expect([approvals.stateOf(entry), approvals.fingerprintOf(entry).uncertain]).toEqual([
      'untrusted',
      ['server.js'],
    ]);
  });
});

describe('T04: a digest given for one run', () => {
  const { digest } = decided(entry, 'approved');
  const offByOne = digest.slice(0, -1) + (digest.endsWith('0') ? '1' : '0');

  test('approves exactly that entry', () => {
    const approvals = approvalsFor({ options: { digests: [digest] } });
    expect([approvals.stateOf(entry), approvals.stateOf(changed)]).toEqual(['approved', 'untrusted']);
    expect(approvalsFor({ options: { digests: [offByOne] } }).stateOf(entry)).toBe('untrusted');
  });

  const trustFile = (
    named: string,
    content: string,
    facts: Partial<FileFacts> = {},
    extra: World = {},
  ): Approvals =>
    approvalsFor({
      env: { HOLT_TRUST_FILE: named },
      files: { '/ci/trust.txt': content, './trust.txt': content },
      facts,
      ...extra,
    });

  test('may be in a file outside the project, one per line', () => {
    const approvals = trustFile('/ci/trust.txt', `# approved\r\n${offByOne}\r\n  ${digest}  \r\nnonsense`);
    expect([approvals.stateOf(entry), approvals.stateOf(changed), approvals.problems]).toEqual([
      'approved',
      'untrusted',
      [],
    ]);
  });

  test.each<readonly [string, string, Partial<FileFacts>, string]>([
    ['inside the project', 'trust.txt', {}, 'it lies inside the project'],
    ['inside it by its full path', '/srv/shop/trust.txt', {}, 'it lies inside the project'],
    ['that others may write', '/ci/trust.txt', { mode: 0o666 }, 'others may write it'],
    ['of another user', '/ci/trust.txt', { uid: 7 }, 'it belongs to another user (uid 7)'],
    ['that is not there', '/ci/missing.txt', {}, 'it cannot be read'],
  ])('does not count from a file %s, and that is said', (_where, named, facts, reason) => {
    const approvals = trustFile(named, digest, facts);
    expect(approvals.stateOf(entry)).toBe('untrusted');
    expect(approvals.problems?.map(({ code, message }) => [code, message])).toEqual([
      ['setting-ignored', `HOLT_TRUST_FILE does not count: ${reason}`],
    ]);
  });

  test('CI changes nothing', () => {
    expect(approvalsFor({ env: { CI: 'true', GITHUB_ACTIONS: 'true' } }).stateOf(entry)).toBe('untrusted');
  });
});

test('an approvals file that is ignored is reported', () => {
  const store = { ...storeWith([]), danger: () => 'others may write it' };
  const approvals = approvalsFor({ options: { store } });
  approvals.stateOf(entry);
  expect(approvals.problems).toEqual([
    {
      severity: 'warning',
      code: 'file-unsafe',
      file: '/home/ada/.holt/trust.json',
      line: 1,
      column: 1,
      message: 'the approvals in it do not count: others may write it',
      remedy: 'Fix it, or move it away and approve again.',
    },
  ]);
});

test.each([
  [1, 'a decision in it cannot be read and does not count'],
  [3, '3 decisions in it cannot be read and do not count'],
])('F28: %i unreadable decisions are reported', (count, message) => {
  const store = { ...storeWith([]), unreadableCount: () => count };
  const approvals = approvalsFor({ options: { store } });
  approvals.stateOf(entry);
  expect(approvals.problems).toEqual([
    {
      severity: 'warning',
      code: 'file-shape',
      file: '/home/ada/.holt/trust.json',
      line: 1,
      column: 1,
      message,
      remedy: 'Fix it by hand; holt keeps what it cannot read.',
    },
  ]);
});

const plain = (place: string): string => place;

test('T07: a HOLT_HOME inside the project is rejected, directly or through a link', () => {
  for (const [home, realPath] of [
    ['/srv/shop/.holt-home', plain],
    ['/srv/shop', plain],
    ['/tmp/innocent', () => '/srv/shop/x'],
  ] as const) {
    const machine = makeMachine({ env: { HOLT_HOME: home } });
    expect(() => requireOwnHoltHome(machine, realPath)).toThrow(
      expect.objectContaining({ code: 'folder-unsafe', details: { folder: home, reason: 'in-project' } }),
    );
  }
});

test.each([
  ['the usual one', {}],
  ['one elsewhere', { env: { HOLT_HOME: '/srv/shopping/.holt' } }],
  ['one in a home that is the project itself', { projectRoot: '/home/ada' }],
  ['one in a home inside a project', { projectRoot: '/home' }],
])('%s is used', (_what, agentCase) => {
  expect(requireOwnHoltHome(makeMachine(agentCase), plain)).toBeUndefined();
});

const digest = `sha256:${'0a'.repeat(32)}`;

test('valid digests are returned unchanged', () => {
  expect(requireDigests([digest, digest])).toEqual([digest, digest]);
});

test.each([
  '',
  'sha256:',
  '0a'.repeat(32),
  digest.slice(0, -1),
  `${digest}0`,
  digest.toUpperCase(),
  ` ${digest}`,
  `${digest}\n`,
])('%j is refused as no digest', (word) => {
  expect(() => requireDigests([digest, word])).toThrow(
    expect.objectContaining({ code: 'usage-invalid', details: { given: word } }),
  );
});
