import { describe, expect, test } from 'vitest';

import { blameProxy, explainBreak, explainDialing } from './explain-error.ts';
import { NetworkFailure } from './network-failure.ts';

const peer = { host: 'a.test:443', timeoutMs: 15_000 };
const coded = (code: string, more: object = {}): Error => Object.assign(new Error(code), { code, ...more });

const rows: readonly [code: string, problem: object][] = [
  ['ENOTFOUND', { kind: 'dns', host: 'a.test:443', code: 'ENOTFOUND' }],
  ['EAI_AGAIN', { kind: 'dns', host: 'a.test:443', code: 'EAI_AGAIN' }],
  ['ECONNREFUSED', { kind: 'refused', host: 'a.test:443' }],
  ['EHOSTUNREACH', { kind: 'unreachable', host: 'a.test:443', code: 'EHOSTUNREACH' }],
  ['ETIMEDOUT', { kind: 'connect-timeout', host: 'a.test:443', afterMs: 15_000 }],
  ['CERT_HAS_EXPIRED', { kind: 'tls-expired', host: 'a.test:443' }],
  ['CERT_NOT_YET_VALID', { kind: 'tls-not-yet-valid', host: 'a.test:443' }],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', { kind: 'tls-self-signed', host: 'a.test:443' }],
  ['SELF_SIGNED_CERT_IN_CHAIN', { kind: 'tls-unknown-issuer', host: 'a.test:443' }],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', { kind: 'tls-client-certificate', host: 'a.test:443' }],
  ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', { kind: 'tls-client-certificate', host: 'a.test:443' }],
  ['ERR_SSL_WRONG_VERSION_NUMBER', { kind: 'tls-not-spoken', host: 'a.test:443' }],
  [
    'ERR_SSL_UNSUPPORTED_PROTOCOL',
    { kind: 'tls-failed', host: 'a.test:443', code: 'ERR_SSL_UNSUPPORTED_PROTOCOL' },
  ],
  ['CERT_REVOKED', { kind: 'tls-failed', host: 'a.test:443', code: 'CERT_REVOKED' }],
  ['ECONNRESET', { kind: 'lost', host: 'a.test:443', code: 'ECONNRESET' }],
];

describe('what kept us from connecting', () => {
  test.each(rows)('%s', (code, problem) => {
    const wrapped = new TypeError('fetch failed', { cause: coded(code) });
    expect([explainDialing(coded(code), peer).problem, explainDialing(wrapped, peer).problem]).toEqual([
      problem,
      problem,
    ]);
  });

  test('a race over addresses tells of the last one', () => {
    const all = Object.assign(new AggregateError([coded('ENETUNREACH'), coded('ECONNREFUSED')], ''), {
      code: 'ENETUNREACH',
    });
    expect(explainDialing(all, peer).problem).toEqual({ kind: 'refused', host: 'a.test:443' });
  });

  test('a certificate for somebody else tells for whom', () => {
    const names = (cert: object | undefined): unknown =>
      explainDialing(coded('ERR_TLS_CERT_ALTNAME_INVALID', { cert }), peer).problem;
    const wrong = { kind: 'tls-wrong-host', host: 'a.test:443' };
    expect([
      names({ subjectaltname: 'DNS:b.test, IP Address:10.0.0.1' }),
      names({ subject: { CN: 'c.test' } }),
      names({}),
      names(undefined),
    ]).toEqual([
      { ...wrong, names: 'b.test, 10.0.0.1' },
      { ...wrong, names: 'c.test' },
      { ...wrong, names: 'another name' },
      { ...wrong, names: 'another name' },
    ]);
  });

  test('a failure with a name keeps it', () => {
    const known = new NetworkFailure({ kind: 'too-large', limitBytes: 1 });
    const wrapped = new TypeError('terminated', { cause: known });
    expect([explainDialing(wrapped, peer), explainBreak(wrapped, 'a.test')]).toEqual([known, known]);
  });
});

test('what breaks a working connection is lost, unless the server wants a certificate', () => {
  const kind = (error: unknown): unknown => explainBreak(error, 'a.test').problem;
  expect([
    kind(coded('UND_ERR_SOCKET')),
    kind(coded('ECONNRESET')),
    kind('odd'),
    kind(coded('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED')),
  ]).toEqual([
    { kind: 'lost', host: 'a.test', code: 'closed by the other side' },
    { kind: 'lost', host: 'a.test', code: 'ECONNRESET' },
    { kind: 'lost', host: 'a.test', code: 'closed' },
    { kind: 'tls-client-certificate', host: 'a.test' },
  ]);
});

test('F41: a proxy is blamed once, by its own name', () => {
  const named = { proxy: 'http://p.test:1', variable: 'HTTPS_PROXY' };
  const blamed = blameProxy(new NetworkFailure({ kind: 'refused', host: 'p.test:1' }), named);
  expect(blamed.message).toBe(
    'the proxy http://p.test:1 (from HTTPS_PROXY) is not working: p.test:1 refused the connection',
  );
  expect(blameProxy(blamed, named)).toBe(blamed);
});
