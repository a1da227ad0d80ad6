import { describe, expect, test } from 'vitest';

import { deviceLines, forwardLines, looksPasted, scannable } from './login-interaction.ts';

const code = {
  server: 'secured',
  url: 'https://issuer.example/device',
  userCode: 'ABCD-1234',
  expiresAt: 0,
};

describe('the device login', () => {
  test('is printed as people know it', () => {
    const endpoints = {
      deviceEndpoint: 'https://issuer.example/device',
      tokenEndpoint: 'https://issuer.example/token',
    };
    expect(deviceLines({ ...code, ...endpoints })).toEqual([
      "Starting OAuth device flow for MCP server 'secured'.",
      '  device endpoint: https://issuer.example/device',
      '  token endpoint:  https://issuer.example/token',
      '',
      'Visit: https://issuer.example/device',
      'Enter code: ABCD-1234',
      '',
    ]);
  });

  test('T46: a code with control characters in it moves no cursor', () => {
    const lines = deviceLines({
      ...code,
      userCode: 'AB\u001b[2J\u0007CD',
      url: 'https://x.example/\u001b]0;x',
    });
    expect(lines.slice(-3)).toEqual([
      String.raw`Visit: https://x.example/\x1b]0;x`,
      String.raw`Enter code: AB\x1b[2J\x07CD`,
      '',
    ]);
  });

  test.each([
    [
      'the same site',
      'https://issuer.example/device?user_code=A',
      'https://issuer.example/device?user_code=A',
    ],
    ['another site', 'https://evil.example/device?user_code=A', undefined],
    ['another scheme', 'javascript:alert(1)', undefined],
    ['no address', 'x', undefined],
    ['none', undefined, undefined],
  ])('T46: a QR code that leads to %s', (_what, completeUrl, expected) => {
    expect(scannable({ ...code, ...(completeUrl === undefined ? {} : { completeUrl }) })).toBe(expected);
  });
});

describe('the line for a tunnel', () => {
  const first = 'If that browser runs on another machine, first run this there:';

  test.each([
    [
      'http://127.0.0.1:19876/mcp/oauth/callback',
      { login: 'ada@h' },
      [first, '  ssh -L 19876:127.0.0.1:19876 ada@h'],
    ],
    [
      'http://localhost:3118/cb',
      { login: 'ada@h', port: 2222 },
      [first, '  ssh -L 3118:127.0.0.1:3118 -p 2222 ada@h'],
    ],
    ['https://app.example/callback', { login: 'ada@h' }, []],
    ['https://app.example:8443/callback', { login: 'ada@h' }, []],
  ])('back to %s', (redirectUri, target, expected) => {
    expect(forwardLines(redirectUri, target)).toEqual(expected);
  });
});

test.each([
  ['http://127.0.0.1:19876/mcp/oauth/callback?code=x&state=y', true],
  ['http://127.0.0.1:19876/mcp/oauth/callback?error=access_denied&state=y', true],
  ['SplxlOBeZQQYbYS6WxSbIA', true],
  ['https://issuer.example/authorize?client_id=x', false],
  ['http://', false],
  ['two words', false],
  ['', false],
])('pasted %j can be an answer: %s', (text, expected) => {
  expect(looksPasted(text)).toBe(expected);
});
