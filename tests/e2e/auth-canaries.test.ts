/** T25: what providers hand out and what is sent to them comes out of no command, in no mode, and stands in one file alone. */

import { generateKeyPairSync } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import {
  browserProgram,
  configure,
  startAuth,
  storedLogins,
  type AuthFixture,
  type LogEntry,
} from '../support/auth-fixture.ts';
import { createSandbox, executable, type Sandbox } from '../support/holt-command.ts';
import { watchArguments } from '../support/processes.ts';

const clientSecret = 'canary-client-secret/+?&z';
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

let provider: AuthFixture;
let echoing: AuthFixture;
let server: AuthFixture;
beforeAll(async () => {
  const robot = { grant_types: ['client_credentials'], response_types: [], redirect_uris: [] };
  const clients = [
    { client_id: 'robot', client_secret: clientSecret, ...robot },
    {
      client_id: 'signer',
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }] },
      ...robot,
    },
  ];
  provider = await startAuth('oidc-provider', { clients });
  server = await startAuth('guarded-server', { issuer: provider.url });
  // Says in its errors all that it was told.
  const refusal = { status: 400, json: { error: 'invalid_request' }, echo: true, repeat: true };
  echoing = await startAuth('odd-provider', { script: { 'POST /token': [refusal] } });
});
afterAll(async () => {
  for (const fixture of [server, provider, echoing]) await fixture[Symbol.asyncDispose]();
});

const modes = [[], ['--json'], ['--verbose', '--debug']];

/** One person's life with logins, every command in every mode. Everything that was printed. */
async function live(person: Sandbox): Promise<readonly string[]> {
  const printed: string[] = [];
  const holt = async (...words: readonly string[]): Promise<void> => {
    const { stdout, stderr } = await person.holt(...words);
    printed.push(`${words.join(' ')}\n${stdout}\n${stderr}`);
  };
  const [plain = [], json = [], loud = []] = modes;
  await Promise.all([
    holt('auth', 'secured', ...loud),
    holt('auth', 'robot', ...json),
    holt('auth', 'signer', ...loud),
    holt('auth', 'echoing', ...loud),
  ]);
  await holt('auth', 'echoing', ...json);
  for (const mode of modes) {
    await Promise.all([
      holt('auth', 'list', ...mode),
      holt('status', ...mode),
      holt('get', 'robot', ...mode),
    ]);
  }
  await holt('doctor', ...loud);
  await provider.post('/forget');
  await holt('status', 'secured', ...loud);
  await holt('reauth', 'secured', ...json);
  await holt('logs', 'secured', ...plain);
  await holt('logout', 'secured', ...loud);
  return printed;
}

test('T25: tokens, codes, verifiers, secrets, keys and assertions are printed nowhere and stored in one place', async () => {
  await using person = await createSandbox({ BROWSER: browserProgram });
  const { url } = server;
  const grant = 'client_credentials';
  await configure(person, {
    secured: { url },
    robot: { url, oauth: { grant, clientId: 'robot', clientSecret } },
    signer: { url, oauth: { grant, clientId: 'signer', privateKey: pem } },
    echoing: { url: `${echoing.url}/mcp`, oauth: { clientId: 'mine', clientSecret } },
  });
  const watching = new AbortController();
  const seen = watchArguments(watching.signal);
  const printed = await live(person);
  watching.abort();
  const secrets = [
    ...(await secretsOf(provider)),
    ...(await secretsOf(echoing)),
    clientSecret,
    ...keyLines(pem),
  ];
  // Two logins of a person, each with a code and a verifier; each program once; a refresh; what was echoed.
  expect(secrets.length).toBeGreaterThan(15);

  const hits = (text: string): readonly string[] =>
    secrets.filter((secret) => spellings(secret).some((spelling) => text.includes(spelling)));
  expect(printed.filter((text) => hits(text).length > 0)).toEqual([]);
  const started = await seen;
  expect(started.some((line) => line.includes(executable))).toBe(true);
  expect(started.filter((line) => hits(line).length > 0)).toEqual([]);

  const files = await filesBelow(path.join(person.home, '.holt'));
  const leaking = await Promise.all(
    files.map(async (file) => (hits(await readFile(file, 'latin1')).length > 0 ? [path.basename(file)] : [])),
  );
  expect(new Set(leaking.flat())).toEqual(new Set(['credentials.json', 'mcp.json']));
  // What was needed only on the way is gone: the codes, the verifiers, the states.
  const kept = JSON.stringify(await storedLogins(person));
  const passing = (await provider.log('token')).flatMap(({ params }) =>
    [params['code'], params['code_verifier']].filter((value) => value !== undefined),
  );
  expect(passing.length).toBeGreaterThanOrEqual(4);
  expect(passing.filter((value) => kept.includes(value))).toEqual([]);
}, 60_000);

/** Everything in a provider's log that lets somebody do something. */
async function secretsOf(fixture: AuthFixture): Promise<readonly string[]> {
  const names = ['code', 'code_verifier', 'refresh_token', 'client_secret', 'client_assertion', 'token'];
  const given = ['access_token', 'refresh_token', 'registration_access_token', 'client_secret'];
  const found = (await fixture.log()).flatMap(({ params, answer }: LogEntry) => [
    ...names.map((name) => params[name]),
    ...given.map((name) => answer?.[name]),
  ]);
  return [
    ...new Set(found.filter((value): value is string => typeof value === 'string' && value.length > 8)),
  ];
}

/** Whole lines of a key: one of them is enough to be too much. */
const keyLines = (text: string): readonly string[] =>
  text.split('\n').filter((line) => line.length > 20 && !line.startsWith('-'));

function spellings(secret: string): readonly string[] {
  const base64 = Buffer.from(secret).toString('base64').slice(0, -4);
  return [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), base64];
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}
