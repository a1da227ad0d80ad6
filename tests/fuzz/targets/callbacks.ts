/** What comes to the address that browsers return to after a login, and what people paste in its place. */

import { randomBytes } from 'node:crypto';

import fc from 'fast-check';

import { createCallbackListener, type CallbackListener } from '../../../src/auth/callback-listener.ts';
import { readCallback } from '../../../src/auth/callback-text.ts';
import { HoltError } from '../../../src/kernel/errors.ts';
import { realClock } from '../../../src/platform/clock.ts';
import { openLoopbackServer } from '../../../src/platform/listeners/loopback-server.ts';
import { exchange } from '../exchange.ts';
import { damaged, damages, type Damage } from '../inputs/damage.ts';
import { asTarget, BrokenPromise } from '../target.ts';

/** Stands for the state of the login that waits. */
const stateMark = 'STATE';
const names = [
  'state',
  'code',
  'error',
  'error_description',
  'iss',
  'session_state',
  'scope',
  '__proto__',
  '',
];
const values = [
  stateMark,
  '',
  'x',
  'https://issuer.example',
  'https://other.example',
  '%00',
  '%',
  '%ff',
  '+',
  '<script>',
  '\u0000',
  'é',
  `${stateMark} `,
];

interface CallbackCase {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly (readonly [string, string])[];
  /** How often the parameters are repeated. */
  readonly times: number;
  readonly headers: readonly string[];
  readonly damage: readonly Damage[];
}

const word = (list: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...list) }, fc.string({ unit: 'binary', maxLength: 12 }));
const inputs: fc.Arbitrary<CallbackCase> = fc.record({
  method: fc.oneof(
    { weight: 6, arbitrary: fc.constant('GET') },
    fc.constantFrom('HEAD', 'POST', 'OPTIONS', 'PRI', 'get', ''),
  ),
  path: fc.oneof(
    { weight: 6, arbitrary: fc.constant('/mcp/oauth/callback') },
    fc.constantFrom(
      '/',
      '//',
      '/mcp/oauth/callback/',
      '/mcp/oauth/%63allback',
      '/..',
      'http://127.0.0.1/mcp/oauth/callback',
      '*',
      '\\',
      '/\\@x',
      '/[',
      '/%',
    ),
  ),
  parameters: fc.array(fc.tuple(word(names), word(values)), { maxLength: 6 }),
  times: fc.oneof({ weight: 9, arbitrary: fc.constant(1) }, fc.integer({ min: 1, max: 5000 })),
  headers: fc.array(
    fc.constantFrom(
      'Host: evil.test',
      'Content-Length: 5',
      'Transfer-Encoding: chunked',
      'Upgrade: websocket',
      'Expect: 100-continue',
      'X: \u0000',
    ),
    { maxLength: 2 },
  ),
  damage: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, damages(3)),
});

async function runCase(
  request: (state: string) => string,
  listener: CallbackListener,
  port: number,
): Promise<void> {
  const state = randomBytes(24).toString('base64url');
  const ending = new AbortController();
  const isFrom = (issuer: string | undefined): boolean =>
    issuer === undefined || issuer === 'https://issuer.example';
  const login = listener.wait(state, { server: 'fuzz', signal: ending.signal, isFrom }).then(
    () => 'answered',
    (error: unknown) => {
      if (ending.signal.aborted || HoltError.is(error)) return 'failed';
      throw error;
    },
  );
  const text = request(state);
  await exchange(port, text);
  readCallback(text.slice(text.indexOf('?'), text.lastIndexOf(' HTTP')));
  // What does not name the login leaves it waiting, and the right answer still ends it.
  const query = `GET /mcp/oauth/callback?state=${state}&code=c HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
  const isNamed = text.includes(state);
  const answer = await exchange(port, query);
  if (!isNamed && !answer.startsWith('HTTP/1.1 200'))
    throw new BrokenPromise(`the login was answered ${answer.slice(0, 200)}`);
  ending.abort(new Error('the case is over'));
  await login;
}

export const callbacks = asTarget<CallbackCase>({
  name: 'callbacks',
  inputs,
  open: async () => {
    const listener = createCallbackListener({
      clock: realClock,
      openServer: openLoopbackServer,
      title: 'holt',
    });
    const { redirectUri } = await listener.open({ server: 'fuzz', port: 0, fixed: false });
    const port = Number(new URL(redirectUri).port);
    return {
      prepare: ({ method, path, parameters, times, headers, damage }) => {
        const query = Array.from({ length: times }, () =>
          parameters.map((pair) => pair.join('=')).join('&'),
        ).join('&');
        const head = [`${method} ${path}?${query} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...headers].join(
          '\r\n',
        );
        const text = damaged(`${head}\r\n\r\n`, damage);
        return { text, run: () => runCase((state) => text.replaceAll(stateMark, state), listener, port) };
      },
      [Symbol.asyncDispose]: () => listener.close(),
    };
  },
});
