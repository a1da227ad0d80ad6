import {
  InsufficientScopeError,
  IssuerMismatchError,
  OAuthError,
  OAuthErrorCode,
  ProtocolError,
  RegistrationRejectedError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';

import { HoltError } from '../kernel/errors.ts';
import { NetworkFailure, type NetworkProblem } from '../network/network-failure.ts';
import { classifyFailure, isProbeFailure } from './classify-failure.ts';
import { failureText, shouldFallBackToSse, failureOf, meanings } from './failure-kinds.ts';
import type { FailureContext } from './known-failures.ts';
import { TransportFailure, type TransportProblem } from './server-transport.ts';

const context: FailureContext = {
  server: 'github',
  phase: 'initializing',
  wallNow: Date.parse('2026-11-15T12:00:00Z'),
};
const coded = (code: string, more: object = {}): Error =>
  Object.assign(new Error(`spawn ${code}`), { code, ...more });
const sdk = (code: SdkErrorCode, message = 'said the SDK', cause?: unknown): Error =>
  new SdkError(code, message, undefined, { cause });
const http = (status: number, text = ''): Error =>
  new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'Error POSTing', { status, text });
const network = (problem: NetworkProblem): Error => new NetworkFailure(problem);
const transport = (problem: TransportProblem): Error => new TransportFailure(problem);
const named = { proxy: 'http://proxy.test:3128', variable: 'HTTPS_PROXY' };
const gone = sdk(SdkErrorCode.ConnectionClosed);

interface Row {
  readonly error: unknown;
  readonly given?: Partial<FailureContext>;
  readonly failure: object;
}

const rows: Readonly<Record<string, Row>> = {
  'a 401': {
    error: http(401),
    failure: { kind: 'needs-auth', status: 'needs_auth', remedy: 'Log in with holt auth github.' },
  },
  'a 401 to a header that the entry brings itself': {
    error: http(401),
    given: { ownHeader: { name: 'Authorization', file: '' } },
    failure: {
      kind: 'needs-auth',
      status: 'needs_auth',
      remedy:
        'The server refused the header "Authorization" that is configured in the entry; correct it there.',
    },
  },
  'a 401 to an entry that forbids logging in': {
    error: http(401),
    given: { forbidsLogin: { file: '/home/ada/.holt/mcp.json' } },
    failure: {
      kind: 'login-forbidden',
      status: 'needs_auth',
      message: 'the server asks for a login',
      remedy:
        'Its definition forbids logging in. To log in, remove oauth: false from /home/ada/.holt/mcp.json.',
    },
  },
  'a 401 to the probe': {
    error: new SdkHttpError(SdkErrorCode.ClientHttpAuthentication, 'x', { status: 401 }),
    failure: { kind: 'needs-auth' },
  },
  'no token': {
    error: new UnauthorizedError(),
    failure: { kind: 'needs-auth', message: 'the server asks for a login' },
  },
  'too few rights': {
    error: new InsufficientScopeError({ requiredScope: 'repo' }),
    failure: { kind: 'needs-auth', message: 'the server asks for more rights than the login has' },
  },
  'a refused registration': {
    error: new RegistrationRejectedError({ status: 400, body: 'no', submittedMetadata: {} as never }),
    failure: { kind: 'needs-client-registration', status: 'needs_client_registration' },
  },
  'no registration at all': {
    error: new Error('Incompatible auth server: does not support dynamic client registration'),
    failure: { kind: 'needs-client-registration' },
  },
  'a login that fails': {
    error: new OAuthError(OAuthErrorCode.InvalidGrant, 'token is used up'),
    failure: { kind: 'login-failed', status: 'needs_auth', message: 'the login failed: token is used up' },
  },
  'a login server that is another': {
    error: new IssuerMismatchError('metadata', 'a', 'b'),
    failure: { kind: 'login-failed' },
  },
  'a 403': {
    error: http(403, 'not you'),
    failure: { kind: 'forbidden', httpStatus: 403, message: 'the server answered with status 403: not you' },
  },
  'a 404': {
    error: http(404),
    failure: { kind: 'not-found', httpStatus: 404, remedy: 'Check the URL.', retry: 'never' },
  },
  'a 500 with a page': {
    error: http(500, '<html>oops</html>'),
    failure: {
      kind: 'http-status',
      httpStatus: 500,
      retry: 'later',
      message: 'the server answered with status 500',
    },
  },
  'a 400 of a WebSocket': {
    error: transport({ kind: 'http-status', status: 400, body: 'x'.repeat(300) }),
    failure: { kind: 'http-status', message: `the server answered with status 400: ${'x'.repeat(200)}…` },
  },
  'HTML in place of an answer': {
    error: sdk(SdkErrorCode.ClientHttpUnexpectedContent, 'Unexpected content type: text/html'),
    failure: { kind: 'not-mcp', retry: 'never' },
  },
  'a wrong place': { error: transport({ kind: 'not-mcp', reason: 'x' }), failure: { kind: 'not-mcp' } },
  'a session that is gone': {
    error: transport({ kind: 'session-lost' }),
    failure: { kind: 'session-lost', retry: 'at-once' },
  },
  'a sibling of it': {
    error: gone,
    given: { end: { cause: transport({ kind: 'session-lost' }) } },
    failure: { kind: 'session-lost' },
  },
  'an answer that broke off': {
    error: transport({ kind: 'answer-lost' }),
    failure: { kind: 'connection-lost', retry: 'later' },
  },
  'a closed socket': {
    error: transport({ kind: 'closed', reason: 'bye', code: 1001 }),
    failure: { kind: 'connection-lost', message: 'the connection was closed: bye (1001)' },
  },
  'a broken connection': {
    error: network({ kind: 'lost', host: 'a.test', code: 'ECONNRESET' }),
    failure: { kind: 'connection-lost', message: 'the connection to a.test broke (ECONNRESET)' },
  },
  'a connection that is gone': {
    error: gone,
    failure: { kind: 'connection-lost', message: 'the connection was closed' },
  },
  'a client without one': {
    error: new Error('Not connected'),
    given: { end: { reason: 'the server ended its stream' } },
    failure: { kind: 'connection-lost', message: 'the server ended its stream' },
  },
  'no answer while connecting': {
    error: sdk(SdkErrorCode.RequestTimeout),
    given: { afterMs: 10_000 },
    failure: {
      kind: 'phase-timeout',
      message: 'no answer in phase initializing after 10 s',
      remedy: 'Raise phase_timeouts.initializing if it only needs longer.',
    },
  },
  'no answer to a call': {
    error: sdk(SdkErrorCode.RequestTimeout),
    given: { phase: 'executing', afterMs: 120_000 },
    failure: { kind: 'call-timeout', message: 'no answer after 120 s' },
  },
  'a name nobody knows, inside the probe': {
    error: sdk(
      SdkErrorCode.EraNegotiationFailed,
      'probe failed',
      network({ kind: 'dns', host: 'a.test', code: 'ENOTFOUND' }),
    ),
    failure: { kind: 'dns', message: 'the name a.test could not be looked up (ENOTFOUND)' },
  },
  'a closed port': { error: network({ kind: 'refused', host: 'a.test:1' }), failure: { kind: 'refused' } },
  'a lost network': {
    error: network({ kind: 'unreachable', host: 'a.test', code: 'ENETUNREACH' }),
    failure: { kind: 'unreachable' },
  },
  'a silent host': {
    error: network({ kind: 'connect-timeout', host: 'a.test', afterMs: 15_000 }),
    failure: { kind: 'connect-timeout', message: 'a.test did not answer within 15 s' },
  },
  'F42 an old certificate': {
    error: network({ kind: 'tls-expired', host: 'a.test' }),
    failure: { kind: 'tls-expired', message: 'the certificate of a.test has expired' },
  },
  'F42 a certificate from the future': {
    error: network({ kind: 'tls-not-yet-valid', host: 'a.test' }),
    failure: { kind: 'tls-not-yet-valid', remedy: 'Check the clock of this machine.' },
  },
  'F42 a wrong name': {
    error: network({ kind: 'tls-wrong-host', host: 'a.test', names: 'b.test' }),
    failure: { kind: 'tls-wrong-host', message: 'the certificate is not for a.test but for b.test' },
  },
  'F42 a self-signed certificate': {
    error: network({ kind: 'tls-self-signed', host: 'a.test' }),
    failure: { kind: 'tls-self-signed' },
  },
  'an authority nobody knows': {
    error: network({ kind: 'tls-unknown-issuer', host: 'a.test' }),
    failure: { kind: 'tls-unknown-issuer' },
  },
  'a client certificate': {
    error: network({ kind: 'tls-client-certificate', host: 'a.test' }),
    failure: { kind: 'tls-client-certificate' },
  },
  'no TLS': {
    error: network({ kind: 'tls-not-spoken', host: 'a.test' }),
    failure: { kind: 'tls-not-spoken' },
  },
  'odd TLS': {
    error: network({ kind: 'tls-failed', host: 'a.test', code: 'X' }),
    failure: { kind: 'tls-failed' },
  },
  'a broken file': {
    error: network({ kind: 'tls-file', file: '/ca.pem', reason: 'not there' }),
    failure: { kind: 'tls-file', message: '/ca.pem cannot be used: not there' },
  },
  'F41 a proxy that is down': {
    error: network({ kind: 'proxy-down', reason: 'refused', ...named }),
    failure: {
      kind: 'proxy-down',
      message: 'the proxy http://proxy.test:3128 (from HTTPS_PROXY) is not working: refused',
      remedy: 'Check HTTPS_PROXY, or put the host into NO_PROXY.',
    },
  },
  'F41 a proxy with a password': {
    error: network({ kind: 'proxy-auth', ...named }),
    failure: {
      kind: 'proxy-auth',
      remedy: 'Put the user name and password into HTTPS_PROXY, or the host into NO_PROXY.',
    },
  },
  'F41 a proxy that refuses': {
    error: network({ kind: 'proxy-refused', status: 403, host: 'a.test', ...named }),
    failure: { kind: 'proxy-refused' },
  },
  'F41 a proxy that is none': {
    error: network({ kind: 'proxy-invalid', ...named }),
    failure: { kind: 'proxy-invalid', remedy: 'Correct HTTPS_PROXY.' },
  },
  'T35 a redirect': {
    error: network({ kind: 'redirect-refused', to: 'https://b.test/', reason: 'it leaves the origin' }),
    failure: { kind: 'redirect-refused' },
  },
  'a huge answer': {
    error: network({ kind: 'too-large', limitBytes: 10 }),
    failure: { kind: 'too-large', message: 'the answer is larger than 10 bytes' },
  },
  'a huge line': {
    error: new HoltError(
      'frame-too-large',
      'Too large',
      { server: 'github', maxBytes: 1 },
      { remedy: 'Less.' },
    ),
    failure: { kind: 'too-large', message: 'Too large', remedy: 'Less.' },
  },
  'T121 an answer of brackets': {
    error: network({ kind: 'too-complex', limitNodes: 10 }),
    failure: {
      kind: 'too-complex',
      message: 'the answer has more than 10 structural characters (limits.messageNodes)',
      remedy: 'Ask for less at a time, or raise limits.messageNodes.',
    },
  },
  'T134 an answer that is nested too deeply': {
    error: network({ kind: 'too-deep', levels: 2000 }),
    failure: {
      kind: 'too-deep',
      message: 'the answer is nested more than 2000 levels deep',
      remedy: 'Ask the server for flatter data.',
    },
  },
  'T136 a stream with lines that are not part of an event': {
    error: network({ kind: 'not-events', lines: 1000 }),
    failure: {
      kind: 'not-events',
      message: 'the event stream has more than 1000 lines that are not part of an event',
      remedy: 'Check that the URL is the address of an MCP server.',
    },
  },
  'T121 a line of brackets': {
    error: new HoltError('frame-too-complex', 'Too many', { server: 'github', maxNodes: 1 }),
    failure: { kind: 'too-complex', message: 'Too many' },
  },
  'F38 a busy server': {
    error: network({ kind: 'rate-limited', host: 'a.test', status: 429, retryAfterMs: 30_000 }),
    failure: {
      kind: 'rate-limited',
      retryAt: '2026-11-15T12:00:30.000Z',
      retryAfterMs: 30_000,
      message: 'rate-limited until 2026-11-15T12:00:30.000Z',
      retry: 'later',
    },
  },
  'F38 a busy server without a time': {
    error: network({ kind: 'rate-limited', host: 'a.test', status: 503 }),
    failure: { kind: 'rate-limited', message: 'a.test answered 503 and asks to wait a while' },
  },
  'a program that is not there': {
    error: coded('ENOENT', { path: '/usr/bin/uvx' }),
    failure: {
      kind: 'command-not-found',
      message: 'command not found: uvx',
      remedy: 'It comes with uv: see docs.astral.sh/uv.',
    },
  },
  'a program that was not found before': {
    error: new HoltError(
      'program-missing',
      'command not found: x',
      { server: 'github', command: 'x' },
      { remedy: 'Get it.' },
    ),
    failure: { kind: 'command-not-found', remedy: 'Get it.' },
  },
  'a shell that does not find it': {
    error: gone,
    given: { end: { exitCode: 127 }, stderrTail: 'sh: 1: uvx: not found' },
    failure: {
      kind: 'command-not-found',
      message: 'command not found: uvx',
      stderr: 'sh: 1: uvx: not found',
    },
  },
  'bash that does not find it': {
    error: gone,
    given: { end: { exitCode: 127 }, stderrTail: '/bin/bash: line 1: tool: command not found' },
    failure: {
      kind: 'command-not-found',
      message: 'command not found: tool',
      remedy: 'Install it, or write its full path.',
    },
  },
  'env that does not find it': {
    error: gone,
    given: { end: { exitCode: 127 }, stderrTail: '/usr/bin/env: ‘node’: No such file or directory' },
    failure: { kind: 'command-not-found', message: 'command not found: node' },
  },
  'a file that is no program': {
    error: coded('EACCES', { path: '/tmp/x' }),
    failure: { kind: 'command-not-runnable', message: '/tmp/x cannot be run (EACCES)' },
  },
  'a folder that is not there': {
    error: coded('ENOTDIR'),
    failure: { kind: 'spawn-failed', remedy: 'Correct cwd.' },
  },
  'too many files': {
    error: coded('EMFILE'),
    failure: { kind: 'too-many-files', remedy: 'Raise the limit of open files (ulimit -n).' },
  },
  'a spawn that failed for a known reason': {
    error: new HoltError(
      'spawn-failed',
      'Could not',
      { server: 'github', program: 'x', reason: 'y' },
      { cause: coded('EAGAIN') },
    ),
    failure: { kind: 'too-many-files' },
  },
  'a spawn that failed': {
    error: new HoltError('spawn-failed', 'Could not start', { server: 'github', program: 'x', reason: 'y' }),
    failure: { kind: 'spawn-failed', message: 'Could not start' },
  },
  'a program that ends': {
    error: gone,
    given: { end: { exitCode: 3, signal: null }, stderrTail: 'last words' },
    failure: {
      kind: 'exited',
      exitCode: 3,
      signal: null,
      stderr: 'last words',
      message: 'it exited with code 3',
      remedy: 'See holt logs github.',
    },
  },
  'a program that is killed': {
    error: new HoltError('server-exited', 'x', { server: 'github', exitCode: null, signal: 'SIGKILL' }),
    given: { stderrTail: 'aah' },
    failure: {
      kind: 'exited',
      exitCode: null,
      signal: 'SIGKILL',
      stderr: 'aah',
      message: 'it was ended by SIGKILL',
    },
  },
  'a program that ends at the probe': {
    error: sdk(SdkErrorCode.EraNegotiationFailed),
    given: { end: { exitCode: 1 } },
    failure: { kind: 'exited', exitCode: 1 },
  },
  'a package that is not there': {
    error: gone,
    given: { end: { exitCode: 1 }, stderrTail: 'npm error code E404' },
    failure: { kind: 'exited', remedy: 'Check the name of the package.' },
  },
  'a server that does not read': {
    error: new HoltError('queue-full', 'Full', { server: 'github', maxBytes: 1 }),
    failure: { kind: 'queue-full' },
  },
  'a malformed result': {
    error: sdk(SdkErrorCode.InvalidResult, 'Invalid result for tools/list: [\n{}'),
    failure: { kind: 'protocol-violation', message: 'Invalid result for tools/list: [' },
  },
  'an answer that is no JSON': {
    error: new SyntaxError('Unexpected token'),
    failure: { kind: 'protocol-violation', message: 'its answer cannot be read' },
  },
  'a probe without a verdict': {
    error: sdk(SdkErrorCode.EraNegotiationFailed, 'no idea'),
    failure: { kind: 'protocol-violation', message: 'no idea' },
  },
  'no common version': {
    error: ProtocolError.fromError(-32_022, 'Unsupported protocol version: x'),
    failure: { kind: 'unsupported-version' },
  },
  'an error the server answers': {
    error: new ProtocolError(-32_602, 'no such tool'),
    failure: {
      kind: 'server-error',
      rpcCode: -32_602,
      message: 'the server answered with an error: no such tool (-32602)',
    },
  },
  'a call that was cancelled': {
    error: new DOMException('aborted', 'AbortError'),
    failure: { kind: 'cancelled' },
  },
  'a way that is refused': {
    error: network({ kind: 'address-refused', host: 'a.test', reason: 'it is private' }),
    failure: { kind: 'address-refused', message: 'the way to a.test is refused: it is private' },
  },
  'a login that is missing, inside of what the SDK made of it': {
    error: new Error('wrapped', {
      cause: new HoltError('auth-required', 'Server "shop" needs a login', { server: 'shop' }),
    }),
    failure: { kind: 'needs-auth', status: 'needs_auth', message: 'Server "shop" needs a login' },
  },
  'a client that has to be registered by hand': {
    error: new HoltError('client-registration-needed', '"shop" requires a client', {
      server: 'shop',
      issuer: 'i',
    }),
    failure: { kind: 'needs-client-registration', status: 'needs_client_registration' },
  },
  'a login server that is down': {
    error: new HoltError(
      'auth-failed',
      'OAuth authentication failed: no',
      { server: 'shop', reason: 'no' },
      {
        cause: network({ kind: 'refused', host: 'a.test' }),
      },
    ),
    failure: { kind: 'login-failed', status: 'needs_auth' },
  },
  'something else': { error: new Error('odd'), failure: { kind: 'unknown', message: 'odd' } },
  'no error at all': { error: 'odd', failure: { kind: 'unknown', message: 'odd' } },
};

describe('a failure is named', () => {
  test.each(Object.entries(rows))('%s', (_, { error, given, failure }) => {
    expect(classifyFailure(error, { ...context, ...given })).toMatchObject(failure);
  });

  test('and every name is reached', () => {
    const reached = new Set(
      Object.values(rows).map(({ error, given }) => classifyFailure(error, { ...context, ...given }).kind),
    );
    expect([...reached].toSorted()).toEqual(Object.keys(meanings).toSorted());
  });

  test('and never advises to turn checks off', () => {
    for (const { remedy } of Object.values(meanings) as { readonly remedy?: string }[]) {
      expect(remedy ?? '').not.toMatch(/disable|turn off|reject_?unauthorized|insecure|ignore/i);
    }
  });
});

test('a text has the remedy and the last words of the program', () => {
  const exited = classifyFailure(gone, { ...context, end: { exitCode: 3 }, stderrTail: 'one\ntwo' });
  expect(failureText(exited)).toBe('it exited with code 3. See holt logs github.\none\ntwo');
  expect(failureText(classifyFailure(new Error('odd'), context))).toBe('odd');
});

test('only 400, 404 and 405 lead to SSE', () => {
  const statuses = [400, 401, 403, 404, 405, 406, 429, 500];
  expect(statuses.filter((status) => shouldFallBackToSse(classifyFailure(http(status), context)))).toEqual([
    400, 404, 405,
  ]);
  expect(shouldFallBackToSse(failureOf('session-lost', { message: '' }, {}, {}))).toBe(false);
});

test('a probe fails on its own account only where the connection worked', () => {
  const network404 = new NetworkFailure({ kind: 'refused', host: 'a.test' });
  const answers = [
    sdk(SdkErrorCode.EraNegotiationFailed),
    sdk(SdkErrorCode.EraNegotiationFailed, 'x', network404),
    new SdkHttpError(SdkErrorCode.EraNegotiationFailed, 'x', { status: 500 }),
    gone,
  ];
  expect(answers.map((error) => isProbeFailure(error))).toEqual([true, false, false, false]);
});
