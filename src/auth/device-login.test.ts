import { expect, test } from 'vitest';

import { createFakeClock } from '../../tests/support/fake-clock.ts';
import { answerTable, issuer, metadata } from '../../tests/support/login-flows.ts';
import type { StoredTokens } from '../kernel/credentials.ts';
import { askForDevice, waitForDevice, type DeviceGrant, type DeviceParts } from './device-login.ts';
import type { LoginServer } from './flows/login-server.ts';

const server: LoginServer = {
  issuer,
  isKnown: true,
  metadata: metadata({ device_authorization_endpoint: `${issuer}/device` }) as LoginServer['metadata'], // as discovery gives it
};
const code = { device_code: 'd', user_code: 'ABCD', verification_uri: `${issuer}/activate` };

interface Run {
  readonly gaps: readonly number[];
  readonly outcome: Promise<StoredTokens>;
}

/** Polls with these answers in turn, and how long it waited before each. */
async function poll(answers: readonly (object | number)[], grant: Partial<DeviceGrant> = {}): Promise<Run> {
  const clock = createFakeClock();
  const gaps: number[] = [];
  let last = 0;
  const { fetch } = answerTable({
    [`POST ${issuer}/token`]: () => {
      gaps.push(clock.now() - last);
      last = clock.now();
      return answers[gaps.length - 1] ?? { status: 400, error: 'authorization_pending' };
    },
  });
  const parts = partsWith(clock);
  const whole = { deviceCode: 'd', userCode: 'A', url: issuer, intervalMs: 5000, lastsMs: 600_000, ...grant };
  const outcome = waitForDevice(whole, parts, fetch);
  outcome.catch(() => undefined);
  for (let step = 0; step < 130; step += 1) await clock.advance(5000);
  return { gaps, outcome };
}

function partsWith(clock: DeviceParts['clock'], signal = new AbortController().signal): DeviceParts {
  return { name: 'shop', server, client: { id: 'c' }, scope: undefined, clock, wallNow: () => 0, signal };
}

const pending = { status: 400, error: 'authorization_pending' };
const slow = { status: 400, error: 'slow_down' };

test('T46: an interval of zero is five seconds, and each slow_down makes it five more', async () => {
  const { fetch } = answerTable({ [`POST ${issuer}/device`]: { ...code, interval: 0 } });
  const grant = await askForDevice(partsWith(createFakeClock()), fetch);
  expect(grant.intervalMs).toBe(5000);
  const { gaps, outcome } = await poll([slow, slow, slow, { access_token: 'a' }], grant);
  expect(gaps).toEqual([5000, 10_000, 15_000, 20_000]);
  expect(await outcome).toEqual({ access: 'a' });
});

test('a provider that is briefly unavailable does not end the polling', async () => {
  const { outcome } = await poll([pending, 500, pending, { access_token: 'a' }]);
  expect(await outcome).toEqual({ access: 'a' });
});

test('polling ends when the code has expired, by our clock or the provider’s', async () => {
  const timedOut = { code: 'auth-timeout', message: 'OAuth flow timed out. Please try again.' };
  const { gaps, outcome } = await poll([], { lastsMs: 21_000 });
  await expect(outcome).rejects.toMatchObject(timedOut);
  expect(gaps).toHaveLength(4);
  await expect((await poll([{ status: 400, error: 'expired_token' }])).outcome).rejects.toMatchObject(
    timedOut,
  );
});

test('T46: polling never lasts longer than 15 minutes', async () => {
  const { fetch } = answerTable({ [`POST ${issuer}/device`]: { ...code, expires_in: 86_400 } });
  expect((await askForDevice(partsWith(createFakeClock()), fetch)).lastsMs).toBe(900_000);
});

test('a denial ends the polling', async () => {
  const { gaps, outcome } = await poll([{ status: 400, error: 'access_denied' }]);
  await expect(outcome).rejects.toMatchObject({ code: 'access_denied' });
  expect(gaps).toHaveLength(1);
});

test('a cancelled login stops polling', async () => {
  const clock = createFakeClock();
  const stop = new AbortController();
  const { fetch, asked } = answerTable({});
  const grant = { deviceCode: 'd', userCode: 'A', url: issuer, intervalMs: 5000, lastsMs: 60_000 };
  const outcome = waitForDevice(grant, partsWith(clock, stop.signal), fetch);
  stop.abort(new Error('called off'));
  await expect(outcome).rejects.toThrow('called off');
  await clock.advance(60_000);
  expect([asked, clock.pending]).toEqual([[], 0]);
});

test.each([
  ['javascript:alert(1)', 'ABCD'],
  ['http://login.test/activate', 'ABCD'],
])('T46: the user is not sent to %s', async (verification_uri, user_code) => {
  const { fetch } = answerTable({ [`POST ${issuer}/device`]: { ...code, verification_uri, user_code } });
  await expect(askForDevice(partsWith(createFakeClock()), fetch)).rejects.toMatchObject({
    code: 'auth-failed',
  });
});

test('T46: control characters in a code are escaped', async () => {
  const { fetch } = answerTable({ [`POST ${issuer}/device`]: { ...code, user_code: 'A\u001b[2JB\u202e' } });
  const { userCode } = await askForDevice(partsWith(createFakeClock()), fetch);
  expect(userCode).not.toMatch(/[\u001b\u202e]/);
});
