/** Over every remote transport: a message of little text and much structure is refused before it is parsed. */

import { describe, expect, test } from 'vitest';

import { connectRemote } from '../../tests/support/remote-clients.ts';
import { startFixture } from '../../tests/support/remote-fixture.ts';

const messageNodes = 10_000;
const failure = {
  kind: 'too-complex',
  message: 'the answer has more than 10000 structural characters (limits.messageNodes)',
};
const failsDeep = { kind: 'too-deep', message: 'the answer is nested more than 2000 levels deep' };
/** Each row is a pair of brackets and a comma; some belong to what is around them. */
const fits = { count: 3200 };
const isOver = { count: 3400 };

describe.each(['json', 'events', 'gzip'])('an answer over HTTP as %s', (form) => {
  test('T121: costs its call when it has too many structural characters, and nothing else', async () => {
    await using server = await startFixture('heavy-results-http', '0', form);
    await using remote = await connectRemote(server.url, { messageNodes });
    expect(await remote.call('brackets', fits)).toBe('');
    expect(await remote.failureOf(remote.call('brackets', isOver))).toMatchObject(failure);
    expect(await remote.failureOf(remote.call('brackets', { levels: 2500 }))).toMatchObject(failsDeep);
    // Text may have as many of them as it likes.
    const text = '[],{}:"\\'.repeat(5000);
    expect(await remote.call('echo', { text })).toBe(text);
    expect(remote.transport.end).toBeUndefined();
  });
});

describe.each([
  ['ws', 'ws'],
  ['sse', 'sse-only'],
] as const)('a connection over %s', (kind, fixture) => {
  test('T121: ends with a message that has too many structural characters', async () => {
    await using server = await startFixture(fixture);
    const remote = await connectRemote(server.url, { kind, messageNodes });
    const text = '[],{}:"\\'.repeat(5000);
    expect([await remote.call('brackets', fits), await remote.call('echo', { text })]).toEqual(['', text]);
    expect(await remote.failureOf(remote.call('brackets', isOver))).toMatchObject(failure);
    await remote.closed;
  });

  test('T134: ends with a message that is nested too deeply', async () => {
    await using server = await startFixture(fixture);
    const remote = await connectRemote(server.url, { kind });
    expect(await remote.failureOf(remote.call('brackets', { levels: 2500 }))).toMatchObject(failsDeep);
    await remote.closed;
  });
});
