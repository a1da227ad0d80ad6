import { expect, test } from 'vitest';

import { makeMachine } from '../../tests/support/agent-machine.ts';
import { projectProgram } from '../../tests/support/sample-servers.ts';
import { decisionRecord, withDecision, withoutDecision, type TrustRecord } from './trust-record.ts';
import { isAllowed, trustStates } from './trust-state.ts';

const machine = makeMachine();
const entry = projectProgram('node');
const fields = [{ path: 'command', hash: 'x', shown: 'node' }];
const approvals = {
  stateOf: () => 'untrusted' as const,
  fingerprintOf: () => ({ digest: 'sha256:1' as const, fields }),
  folderTrust: () => 'unknown' as const,
};
const decide = (verdict: TrustRecord['verdict'], name = 'shop'): TrustRecord =>
  decisionRecord({ ...entry, name }, verdict, {
    machine,
    approvals,
    now: () => new Date('2026-01-02T03:04:05Z'),
  });

test('a decision record names the entry, the project, the time and the fields that were shown', () => {
  expect(decide('approved')).toEqual({
    project: '/srv/shop',
    file: '/srv/shop/.mcp.json',
    agent: 'mcp-json',
    name: 'shop',
    verdict: 'approved',
    digest: 'sha256:1',
    at: '2026-01-02T03:04:05.000Z',
    fields,
  });
});

test('the newest decision about an entry replaces only the previous one', () => {
  const others = [
    decide('approved', 'a'),
    { ...decide('approved'), project: '/elsewhere' },
    { ...decide('approved'), agent: 'cursor' },
  ];
  const before = [...others, decide('approved')];
  expect(withDecision(before, decide('denied'))).toEqual([...others, decide('denied')]);
});

test('removing a decision leaves the others', () => {
  const elsewhere = { ...decide('approved'), project: '/elsewhere' };
  expect(withoutDecision([decide('approved'), elsewhere, decide('denied', 'a')], entry, '/srv/shop')).toEqual(
    [elsewhere, decide('denied', 'a')],
  );
});

test('only open and approved entries are allowed', () => {
  expect(trustStates.filter(isAllowed)).toEqual(['open', 'approved']);
});
