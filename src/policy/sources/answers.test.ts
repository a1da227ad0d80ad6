import { expect, test } from 'vitest';

import type { ServerDefinition } from '../../kernel/servers.ts';
import { loadApprovals } from '../../trust/load-approvals.ts';
import type { TrustRecord } from '../../trust/trust-record.ts';
import { createTrustStore } from '../../trust/trust-store.ts';
import { makeMachine, memoryFiles } from '../../../tests/support/agent-machine.ts';
import { serverOf, type ServerSample } from '../../../tests/support/policy-fixture.ts';
import { approvalOf, rememberedAnswers, type Answers } from './answers.ts';

const machine = makeMachine();
const project: ServerSample = { name: 'p', agent: 'mcp-json', scope: 'project', approved: true };
const { definition } = serverOf(project);
const partsOf = (records: readonly TrustRecord[]) => {
  const text = JSON.stringify({ version: 1, entries: records });
  const files = memoryFiles(machine, { '~/.holt/trust.json': text });
  const store = createTrustStore(machine, files);
  return { machine, store, approvals: loadApprovals(machine, files, { store }) };
};

/** As it is written when somebody approves the definition and answers "always" for these tools. */
function approved(one: ServerDefinition, allow: readonly string[]): TrustRecord {
  const { digest, fields } = partsOf([]).approvals.fingerprintOf(one);
  const { file, agent } = one.origin;
  const about = { project: machine.projectRoot, file, agent, name: one.name };
  return { ...about, verdict: 'approved', digest, at: '', fields, ...(allow.length === 0 ? {} : { allow }) };
}

function answersOf(records: readonly TrustRecord[], samples: readonly ServerSample[] = [project]): Answers {
  return rememberedAnswers(samples.map(serverOf), partsOf(records));
}

test('what was answered for good is allowed, of that entry and no other tool', () => {
  const answers = answersOf([approved(definition, ['read', 'list'])]);
  const tools = ['read', 'list', 'write', 'Read', ''];
  expect(tools.map((tool) => answers.allows(definition, tool))).toEqual([true, true, false, false, false]);
  expect(answers.file).toBe('/home/ada/.holt/trust.json');
});

test('the same entry read again is the same; one that differs in anything is another', () => {
  const answers = answersOf([approved(definition, ['read'])]);
  const { origin } = definition;
  const launch = { kind: 'stdio', command: 'q', args: [], env: {}, envFrom: {} } as const;
  const others: readonly ServerDefinition[] = [
    { ...definition, name: 'q' },
    { ...definition, launch },
    { ...definition, origin: { ...origin, agent: 'cursor' } },
    { ...definition, origin: { ...origin, file: '/elsewhere.json' } },
    { ...definition, tools: { autoApprove: ['all'] } },
  ];
  expect(others.map((other) => answers.allows(other, 'read'))).toEqual(others.map(() => false));
  const again = { ...definition, origin: { ...origin, line: 99 }, enabled: false, tools: { include: ['x'] } };
  expect(answers.allows(again, 'read')).toBe(true);
});

test('each server has its own answers', () => {
  const other: ServerSample = { ...project, name: 'q' };
  const second = serverOf(other).definition;
  const answers = answersOf([approved(second, ['b']), approved(definition, ['a'])], [project, other]);
  const asked = [definition, second].map((one) => ['a', 'b'].map((tool) => answers.allows(one, tool)));
  expect(asked).toEqual([
    [true, false],
    [false, true],
  ]);
});

test.each<readonly [string, Partial<TrustRecord>]>([
  ['denied', { verdict: 'denied' }],
  ['of the entry as it was before', { digest: 'sha256:0' }],
  ['of another project', { project: '/srv/other' }],
  ['of another server', { name: 'q' }],
  ['without answers', { allow: [] }],
])('a record %s allows nothing', (_which, change) => {
  const record = { ...approved(definition, ['read']), ...change };
  expect(answersOf([record]).allows(definition, 'read')).toBe(false);
});

test('the approval that holds is found among others', () => {
  const right = approved(definition, []);
  const wrong: readonly TrustRecord[] = [
    { ...right, verdict: 'denied' },
    { ...right, digest: 'sha256:0' },
    { ...right, project: '/srv/other' },
  ];
  const parts = partsOf([]);
  expect(approvalOf(definition, [...wrong, right], parts)).toBe(right);
  expect(approvalOf(definition, wrong, parts)).toBeUndefined();
});

test.each<readonly [string, ServerSample]>([
  ['the user’s own', { ...project, scope: 'user' }],
  ['not approved', { ...project, approved: false }],
])('the file is not even opened for a server that is %s', (_which, sample) => {
  const parts = partsOf([approved(definition, ['read'])]);
  const load = (): never => {
    throw new Error('the file was opened');
  };
  const server = serverOf(sample);
  const answers = rememberedAnswers([server], { ...parts, store: { ...parts.store, load } });
  expect([answers.allows(server.definition, 'read'), answers.allows(definition, 'read')]).toEqual([
    false,
    false,
  ]);
});
