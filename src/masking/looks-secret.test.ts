/** Which literals doctor complains about. */

import { expect, test } from 'vitest';

import { looksSecret } from './looks-secret.ts';

test.each([
  ['API_KEY', 'a8f3k2m9'],
  ['API_KEY', 'plainword'],
  ['GITHUB_TOKEN', 'hunter2'],
  ['DB_PASSWORD', 'postgres'],
  ['Authorization', 'Bearer abcdef'],
  ['authorization', 'Basic dXNlcjpwYXNz'],
  ['ANYTHING', 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'],
  ['--some-arg', 'sk-proj-abc123def456ghi789'],
  ['DATABASE_URL', 'postgres://app:hunter2@db.example/app'],
  ['url', 'https://x.example/mcp?api_key=a8f3k2m9'],
  ['TOKEN', '${TOKEN:-a8f3k2m9}'],
  ['TOKEN', 'a8f3k2m9${SUFFIX}'],
  ['AUTH', 'user2:pass-word'],
  ['PASSWORD', '!Passw0rd'],
])('%s = %s is a secret', (name, value) => {
  expect(looksSecret(name, value)).toBe(true);
});

test.each([
  ['API_KEY', ''],
  ['API_KEY', '   '],
  ['API_KEY', '${API_KEY}'],
  ['API_KEY', '$API_KEY'],
  ['API_KEY', '%API_KEY%'],
  ['API_KEY', '{env:API_KEY}'],
  ['API_KEY', '${input:key}'],
  ['API_KEY', '${{ secrets.KEY }}'],
  ['Authorization', 'Bearer ${TOKEN}'],
  ['API_KEY', 'GITHUB_API_KEY'],
  ['API_KEY', '<your key>'],
  ['API_KEY', 'your-api-key'],
  ['API_KEY', 'YOUR_KEY_HERE'],
  ['API_KEY', 'changeme'],
  ['API_KEY', 'xxxxxxxx'],
  ['API_KEY', '***'],
  ['AUTH', 'basic'],
  ['AUTH', 'true'],
  ['KEY', 'name'],
  ['TOKEN_FILE', '/run/secrets/token'],
  ['PRIVATE_KEY', '~/.ssh/id_ed25519'],
  ['AUTH_TOKEN', 'https://auth.example/token'],
  ['MAX_TOKENS', '4096'],
  ['ROOT', '/srv/data'],
  ['DATABASE_URL', 'postgres://app:${DB_PASSWORD}@db.example/app'],
  ['DATABASE_URL', 'postgres://db.example/app'],
  ['url', 'https://x.example/mcp?api_key=${KEY}&page=12345678'],
])('%s = %s is none', (name, value) => {
  expect(looksSecret(name, value)).toBe(false);
});

test('a command is a secret only where it would not run', () => {
  expect([looksSecret('TOKEN', '!op read x', 'holt'), looksSecret('TOKEN', '!op read x', 'claude')]).toEqual([
    false,
    true,
  ]);
});
