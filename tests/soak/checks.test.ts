/** The checks of the soak, each with handwritten histories: a valid one, and those it must reject. */

import { describe, expect, test } from 'vitest';

import { checkAll, type CheckName } from './checks/all-checks.ts';
import type { Entry, EntryOf, Kind } from './history.ts';

type Facts<Name extends Kind> = Omit<EntryOf<Name>, 'at' | 'by' | 'kind'>;

function entry<Name extends Kind>(at: number, kind: Name, facts: Facts<Name>): Entry;
function entry(at: number, kind: Kind, facts: object): object {
  return { at, by: 'test', kind, ...facts };
}

/** What each check says that has anything to say. */
function said(...history: readonly Entry[]): Partial<Record<CheckName, readonly string[]>> {
  const all = Object.entries(checkAll(history)).map(
    ([name, { violations }]) => [name, violations.map(({ message }) => message)] as const,
  );
  return Object.fromEntries(all.filter(([, messages]) => messages.length > 0));
}

const owner = 'h1';
const [server, tool] = ['s', 't'];

describe('I1: processes and their owners', () => {
  const spawn = entry(1, 'spawn', { owner, server, pid: 7, cookie: 'c' });
  const end = entry(100, 'owner.end', { owner, how: 'killed' });
  const seen = (at: number): Entry => entry(at, 'seen', { owner, server, pid: 7, cookie: 'c' });

  test('a process may be seen for five seconds after its owner', () => {
    expect(said(spawn, end, seen(150), seen(5100))).toEqual({});
  });
  test('a process that outlives its owner for too long is reported once, with its start and the end of its owner', () => {
    const { violations } = checkAll([spawn, end, seen(5101), seen(6000)]).I1;
    expect(violations).toEqual([
      {
        invariant: 'I1',
        message: 'process 7 of s lives 5001 ms after h1 ended (killed)',
        slice: [spawn, end, seen(5101)],
      },
    ]);
  });
  test('a program without a cookie is reported', () => {
    expect(said(entry(1, 'spawn', { owner, server, pid: 7, cookie: '' }))).toEqual({
      I1: ['s was started without a cookie'],
    });
  });
});

describe('I2: renewals', () => {
  const refresh = (at: number, outcome: 'ok' | 'spent' | 'failed', generation = 'g1'): Entry =>
    entry(at, 'refresh', { record: 'r', generation, outcome });
  const kill = (at: number): Entry => entry(at, 'fault', { fault: 'kill refresher', target: 'p' });

  test('each generation is renewed once, after however many failures', () => {
    expect(said(refresh(1, 'failed'), refresh(2, 'ok'), refresh(3, 'ok', 'g2'))).toEqual({});
  });
  test('two renewals of one generation are reported', () => {
    expect(said(refresh(1, 'ok'), refresh(2, 'ok'))).toEqual({ I2: ['generation g1 was renewed 2 times'] });
  });
  test('a spent token may be tried once where the winner was killed', () => {
    expect(said(refresh(3000, 'ok'), kill(3001), refresh(3100, 'spent'))).toEqual({});
    expect(said(refresh(3000, 'ok'), kill(3001), refresh(3100, 'spent'), refresh(3200, 'spent'))).toEqual({
      I2: ["generation g1 was tried again after the provider's final word"],
    });
  });
  test('a spent token that is tried without that, or after a kill long ago, is reported', () => {
    const message = 'generation g1 was tried again although nobody was killed';
    expect(said(refresh(3000, 'ok'), refresh(3100, 'spent'))).toEqual({ I2: [message] });
    expect(said(kill(900), refresh(3000, 'ok'), refresh(3100, 'spent'))).toEqual({ I2: [message] });
  });
});

const call = (at: number, mark = 'h1.1', by = owner): Entry =>
  entry(at, 'call', { owner: by, mark, server, tool });
const received = (at: number, mark = 'h1.1', digest?: string): Entry =>
  entry(at, 'received', { server, tool, mark, ...(digest === undefined ? {} : { digest }) });
const rules = (at: number, verdict: 'allow' | 'ask' | 'deny', state: 'set' | 'changing' = 'set'): Entry =>
  entry(at, 'rules', { owner, state, table: { '*': 'deny', 's/t': verdict } });

describe('I3: answers', () => {
  const open = rules(0, 'allow');
  const delivered = (at: number, mark: string, got: string, part: 'result' | 'progress' = 'result'): Entry =>
    entry(at, 'delivered', { owner, mark, got, part });

  test('a caller gets its own answer once, and as much of its own progress as there is', () => {
    const progress = [delivered(3, 'h1.1', 'h1.1', 'progress'), delivered(4, 'h1.1', 'h1.1', 'progress')];
    expect(said(open, call(1), received(2), ...progress, delivered(5, 'h1.1', 'h1.1'))).toEqual({});
  });
  test("another caller's response or progress is reported", () => {
    const history = [open, call(1), call(1, 'h1.2'), received(2), received(2, 'h1.2')];
    expect(said(...history, delivered(3, 'h1.1', 'h1.2'))).toEqual({
      I3: ['h1.1 got what belongs to h1.2'],
    });
    expect(said(...history, delivered(3, 'h1.1', 'h1.2', 'progress'))).toEqual({
      I3: ['h1.1 got what belongs to h1.2'],
    });
  });
  test('a second response is reported', () => {
    const history = [open, call(1), received(2), delivered(3, 'h1.1', 'h1.1'), delivered(4, 'h1.1', 'h1.1')];
    expect(said(...history)).toEqual({ I3: ['h1.1 was answered twice'] });
  });
  test('a call that is carried out twice is reported', () => {
    expect(said(open, call(1), received(2), received(3))).toEqual({
      I3: ['the call h1.1 was carried out 2 times'],
    });
  });
  test('responses without a caller, to another process or without a server are reported', () => {
    expect(said(open, delivered(3, 'h1.1', 'h1.1'))).toEqual({
      I3: ['an answer came to h1.1, which called nothing'],
    });
    expect(said(open, call(1, 'h1.1', 'h2'), delivered(3, 'h1.1', 'h1.1'))).toEqual({
      I3: ['the answer of h1.1 came to another process'],
    });
    expect(said(open, call(1), delivered(3, 'h1.1', 'h1.1'))).toEqual({
      I3: ['h1.1 was answered before a server got it'],
    });
  });
});

describe('I4: edits', () => {
  type Edit = Facts<'edit'>;
  const edit = (at: number, op: Edit['op'], state: Edit['state'], name = 'a'): Entry =>
    entry(at, 'edit', { file: 'f', name, op, state });
  const file = (servers: Readonly<Record<string, boolean>> | null, final = true): Entry =>
    entry(1000, 'file', { file: 'f', servers, final });

  test('the last edit that was accepted counts, and one of unknown end may or may not', () => {
    const added = [edit(1, 'add', 'begun'), edit(2, 'add', 'accepted')];
    expect(said(...added, file({ a: true }))).toEqual({});
    expect(said(...added, edit(3, 'disable', 'accepted'), file({ a: false }))).toEqual({});
    expect(said(...added, edit(3, 'remove', 'unknown'), file({ a: true }))).toEqual({});
    expect(said(...added, edit(3, 'remove', 'unknown'), file({}))).toEqual({});
    expect(said(edit(1, 'add', 'unknown'), file({}))).toEqual({});
    expect(said(edit(1, 'add', 'refused'), file({}))).toEqual({});
  });
  test('an edit that was accepted and is not there is reported with the edit and the file', () => {
    const added = edit(2, 'add', 'accepted');
    expect(checkAll([edit(1, 'add', 'begun'), added, file({})]).I4.violations).toEqual([
      { invariant: 'I4', message: 'a is absent in f and was made on', slice: [added, file({})] },
    ]);
  });
  test('switching that was lost, removing that was lost, and adding that was refused and happened are reported', () => {
    const added = edit(1, 'add', 'accepted');
    expect(said(added, edit(2, 'disable', 'accepted'), file({ a: true }))).toEqual({
      I4: ['a is on in f and was made off'],
    });
    expect(said(added, edit(2, 'remove', 'accepted'), file({ a: true }))).toEqual({
      I4: ['a is on in f and was made absent'],
    });
    expect(said(edit(1, 'add', 'refused'), file({ a: true }))).toEqual({
      I4: ['a is on in f and was made absent'],
    });
  });
  test('a file that cannot be read, was not read, or has an entry that no edit added is reported', () => {
    expect(said(file(null, false))).toEqual({ I4: ['f cannot be read'] });
    expect(said(edit(1, 'add', 'accepted'))).toEqual({ I4: ['nobody read f at the end'] });
    expect(said(edit(1, 'add', 'accepted'), file({ a: true, b: true }))).toEqual({
      I4: ['b is in f and nobody added it'],
    });
  });
});

describe('I5: canaries', () => {
  const grant = entry(1, 'grant', { canary: 'tweet', to: 'one' });
  const outbound = (to: string, canaries: readonly string[]): Entry =>
    entry(2, 'outbound', { to, bytes: 10, canaries });

  test('a canary may go where it was granted', () => {
    expect(said(grant, outbound('one', ['tweet']), outbound('two', []))).toEqual({});
  });
  test('a canary anywhere else is reported with its grant', () => {
    const leak = outbound('two', ['tweet']);
    expect(checkAll([grant, leak]).I5.violations).toEqual([
      { invariant: 'I5', message: 'tweet reached two', slice: [grant, leak] },
    ]);
    expect(said(outbound('events', ['tweet']))).toEqual({ I5: ['tweet reached events'] });
  });
});

describe('I6: decisions', () => {
  const answer = (at: number, mark: string, word: 'once' | 'run' | 'deny'): Entry =>
    entry(at, 'answer', { owner, mark, server, tool, answer: word });
  const approve = (at: number, digest: string): Entry =>
    entry(at, 'approve', { owner, server, tool, digest });
  const refused = { I6: ['s/t was called and nothing allowed it'] };

  test('what rules allow, or a person, may be called', () => {
    expect(said(rules(0, 'allow'), call(1), received(2))).toEqual({});
    expect(said(rules(0, 'ask'), call(1), answer(2, 'h1.1', 'once'), received(3))).toEqual({});
    expect(
      said(rules(0, 'ask'), call(1), answer(2, 'h1.1', 'run'), call(3, 'h1.2'), received(4, 'h1.2')),
    ).toEqual({});
  });
  test('what is denied, turned down, not yet answered or answered for another call is reported', () => {
    expect(said(rules(0, 'deny'), call(1), received(2))).toEqual(refused);
    expect(said(rules(0, 'ask'), call(1), answer(2, 'h1.1', 'deny'), received(3))).toEqual(refused);
    expect(said(rules(0, 'ask'), call(1), received(2), answer(3, 'h1.1', 'once'))).toEqual(refused);
    expect(said(rules(0, 'ask'), call(1), answer(2, 'h1.0', 'once'), received(3))).toEqual(refused);
    expect(said(call(1), received(2))).toEqual(refused);
    expect(said(rules(0, 'deny'), call(1), answer(2, 'h1.1', 'run'), received(3))).toEqual(refused);
  });
  test('while rules change both the old and the new ones may hold, and afterwards only the new', () => {
    const changing = [rules(0, 'allow'), rules(10, 'deny', 'changing')];
    expect(said(...changing, call(11), received(12))).toEqual({});
    expect(said(...changing, call(11), rules(20, 'deny'), received(22))).toEqual({});
    expect(said(...changing, rules(20, 'deny'), call(21), received(22))).toEqual(refused);
    expect(said(rules(0, 'deny'), call(5), rules(10, 'allow', 'changing'), received(12))).toEqual({});
  });
  test('a tool definition that was not accepted, or not yet, is reported', () => {
    const open = rules(0, 'allow');
    expect(said(open, approve(1, 'd1'), call(2), received(3, 'h1.1', 'd1'))).toEqual({});
    const message = 's/t was called as d2, which nobody accepted';
    expect(said(open, approve(1, 'd1'), call(2), received(3, 'h1.1', 'd2'))).toEqual({ I6: [message] });
    expect(said(open, call(2), received(3, 'h1.1', 'd2'), approve(4, 'd2'))).toEqual({ I6: [message] });
  });
  test('a call without a caller is reported', () => {
    expect(said(rules(0, 'allow'), received(2))).toEqual({ I6: ['s/t got a call that nobody made'] });
  });
});

describe('I7: phases', () => {
  type Walk = readonly Facts<'phase'>['from'][];
  const walk = (...phases: Walk): readonly Entry[] =>
    phases
      .slice(1)
      .map((to, at) => entry(at, 'phase', { owner, server, from: phases[at] ?? 'disconnected', to }));

  test('a complete sequence of phases passes', () => {
    const up: Walk = ['disconnected', 'connecting', 'initializing', 'handshaking', 'listing_resources'];
    const down: Walk = ['listing_tools', 'listing_prompts', 'ready', 'executing', 'failed', 'cleaning_up'];
    expect(said(...walk(...up, ...down, 'disconnected', 'connecting'))).toEqual({});
  });
  test('a step that is not in the table is reported', () => {
    expect(said(...walk('disconnected', 'connecting', 'ready'))).toEqual({
      I7: ['s went from connecting to ready'],
    });
  });
  test('a jump between two steps is reported', () => {
    const history = [
      ...walk('disconnected', 'connecting'),
      entry(9, 'phase', { owner, server, from: 'ready', to: 'executing' }),
    ];
    expect(said(...history)).toEqual({ I7: ['s was connecting and left ready'] });
  });
});

test('a crash is reported even when all other checks pass', () => {
  expect(said(entry(1, 'wrong', { what: 'h1 crashed' }))).toEqual({ calm: ['h1 crashed'] });
});
