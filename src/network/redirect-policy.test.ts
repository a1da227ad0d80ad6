import { describe, expect, test } from 'vitest';

import { decideRedirect } from './redirect-policy.ts';

const from = new URL('https://a.test/mcp?token=hush');
const decide = (method: string, status: number, location: string | null, followed = 0): unknown =>
  decideRedirect({ method, from, status, location, followed });

describe('T35: redirects', () => {
  test.each([301, 302, 303, 307, 308])('%i is followed for a GET within the origin', (status) => {
    expect(decide('GET', status, '/other')).toEqual({ kind: 'follow', to: new URL('https://a.test/other') });
  });

  test.each([301, 302, 303, 307, 308])('%i is refused for a POST, even within the origin', (status) => {
    expect(decide('POST', status, '/other')).toEqual({
      kind: 'refuse',
      to: 'https://a.test/other',
      reason: 'a POST is never sent on',
    });
  });

  test.each([
    'https://b.test/mcp',
    'http://a.test/mcp',
    'https://a.test:444/mcp',
    '//b.test',
    'http://169.254.169.254/latest',
  ])('leaving the origin for %s is refused', (location) => {
    expect(decide('GET', 307, location)).toMatchObject({ kind: 'refuse', reason: 'it leaves the origin' });
  });

  test('what is shown of the target has no query and no credentials', () => {
    expect(decide('GET', 302, 'https://me:hush@b.test/x?code=1#y')).toMatchObject({ to: 'https://b.test/x' });
  });

  test('credentials in the target, a fourth hop and nonsense are refused; other answers are no redirects', () => {
    expect(decide('GET', 302, 'https://me:hush@a.test/x')).toMatchObject({
      kind: 'refuse',
      reason: 'it carries credentials',
    });
    expect(decide('GET', 302, '/x', 2)).toMatchObject({ kind: 'follow' });
    expect(decide('GET', 302, '/x', 3)).toMatchObject({ kind: 'refuse', reason: 'more than 3 in a row' });
    expect(decide('GET', 302, 'https://[')).toEqual({
      kind: 'refuse',
      to: 'an invalid address',
      reason: 'it is not a URL',
    });
    for (const verdict of [decide('GET', 200, '/x'), decide('GET', 304, '/x'), decide('GET', 302, null)]) {
      expect(verdict).toEqual({ kind: 'none' });
    }
  });
});
