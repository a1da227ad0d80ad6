import { expect, test } from 'vitest';

import type { JsonValue } from '../../kernel/json.ts';
import { holdsSecret, maskEntry } from './mask-entry.ts';

test.each<[JsonValue, JsonValue]>([
  [
    { command: 'x', env: { API_KEY: 'abcd1234abcd', LOG: 'debug' } },
    { command: 'x', env: { API_KEY: '***', LOG: 'debug' } },
  ],
  [{ http_headers: { Authorization: 'Bearer abcdefgh' } }, { http_headers: { Authorization: 'Bearer ***' } }],
  [{ auth: { CLIENT_SECRET: 'hush1234' } }, { auth: { CLIENT_SECRET: '***' } }],
  [{ url: 'https://u:p@x.test/mcp?key=abc' }, { url: 'https://***@x.test/mcp?key=***' }],
  [
    { type: 'local', command: ['x', '--token', 'abcdefgh'] },
    { type: 'local', command: ['x', '--token', '***'] },
  ],
  [
    { requestOptions: { headers: { 'X-Api-Key': 'abcdefgh1' } } },
    { requestOptions: { headers: { 'X-Api-Key': '***' } } },
  ],
  [
    { env: { TOKEN: '${TOKEN}' }, enabled: false, timeout: 5 },
    { env: { TOKEN: '${TOKEN}' }, enabled: false, timeout: 5 },
  ],
  ['text', 'text'],
])('%j is shown as %j', (entry, shown) => {
  expect(maskEntry(entry, 'none')).toEqual(shown);
});

test.each<[JsonValue, boolean]>([
  [{ env: { API_KEY: 'abcd1234abcd' } }, true],
  [{ headers: { Authorization: 'Bearer abcdefgh1234' } }, true],
  [{ args: ['--token', 'abcdefgh1234'] }, true],
  [{ args: ['API_KEY=abcdefgh1234'] }, true],
  [{ command: ['x', '--api-key=abcdefgh1234'] }, true],
  [{ url: 'https://u:secret@x.test' }, true],
  [{ oauth: { clientSecret: 'abcdefgh1234' } }, true],
  [{ env: { API_KEY: '${API_KEY}', LOG: 'debug' } }, false],
  [{ args: ['--root', '/tmp', 'https://x.test/?region=eu'] }, false],
  [{ url: 'https://x.test/mcp' }, false],
  [{ tools: { include: ['read_secret'] } }, false],
])('%j holds a secret: %s', (entry, held) => {
  expect(holdsSecret(entry, 'none')).toBe(held);
});
