/** T25: thirty secrets in every place a config can have one, every command in every mode, and not one of them comes out anywhere. */

import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { createSandbox, executable, type Sandbox } from '../support/holt-command.ts';
import { watchArguments } from '../support/processes.ts';
import { runInTerminal } from '../support/terminal.ts';

/** Long enough to be nobody else's, with signs that encodings change. */
const makeSecret = (index: number): string => `canary${index}/+${randomBytes(9).toString('hex')}?&z`;

/** Thirty of them, each used in one place. */
const secrets = Array.from({ length: 30 }, (_, index) => makeSecret(index));
const take = (() => {
  let next = 0;
  return (): string => secrets[next++] ?? 'there are only thirty';
})();

const variables = Object.fromEntries(
  ['GITHUB_TOKEN', 'SHOP_KEY', 'PLAIN', 'A_HEADER', 'IN_URL', 'BARE_NAME'].map((name) => [name, take()]),
);

async function plant(sandbox: Sandbox): Promise<void> {
  const url = (user: string, query: string): string =>
    `https://u:${encodeURIComponent(user)}@x.test/mcp?api_key=${encodeURIComponent(query)}&k=\${IN_URL}`;
  const program = (): object => ({
    command: 'node',
    args: ['server.js', '--token', take(), `--api-key=${take()}`, `PASSWORD=${take()}`, url(take(), take())],
    env: { API_KEY: take(), DB_PASSWORD: take(), TOKEN: '${GITHUB_TOKEN}', OTHER: '${PLAIN}' },
  });
  const remote = (): object => ({
    type: 'http',
    url: url(take(), take()),
    headers: {
      Authorization: `Bearer ${take()}`,
      Cookie: `session=${take()}`,
      'X-Api-Key': take(),
      'X-Var': '${A_HEADER}',
    },
  });
  const file = await sandbox.write('~/secret-file', take());
  const script = await sandbox.write('~/secret-script', `echo '${take()}'`);
  await sandbox.write(
    '~/.cursor/mcp.json',
    JSON.stringify({ mcpServers: { mine: program(), web: remote() } }),
  );
  await sandbox.write(
    './.mcp.json',
    JSON.stringify({ mcpServers: { theirs: program(), 'their-web': remote() } }),
  );
  await sandbox.write(
    './opencode.json',
    JSON.stringify({
      mcp: {
        filed: { type: 'local', command: ['node', '{env:SHOP_KEY}'], environment: { KEY: `{file:${file}}` } },
      },
    }),
  );
  await sandbox.write(
    '~/.holt/mcp.json',
    JSON.stringify({
      mcpServers: {
        run: {
          url: 'https://y.test',
          headers: { Authorization: `!sh ${script}` },
          oauth: { clientId: 'c', clientSecret: take() },
        },
      },
    }),
  );
  await sandbox.write(
    '~/.omp/mcp.json',
    JSON.stringify({ mcpServers: { bare: { command: 'node', env: { A: 'BARE_NAME' } } } }),
  );
  // A file that does not parse, with a secret in the very line that is shown.
  await sandbox.write(
    '~/.codeium/windsurf/mcp_config.json',
    `{"mcpServers": {"w": {"serverUrl": "https://z.test",\n"headers": {"Authorization": "Bearer ${take()}" "x": 1}}}}`,
  );
}

/** As it is, percent-encoded both ways, and in base64 wherever it begins. */
function spellings(secret: string): readonly string[] {
  const base64 = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]).toString('base64');
    return text.slice(offset === 0 ? 0 : 4, -4);
  });
  return [
    secret,
    encodeURIComponent(secret),
    encodeURI(secret),
    new URLSearchParams({ secret }).toString().slice('secret='.length),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}
const looked = secrets.flatMap((secret, index) => spellings(secret).map((spelling) => ({ index, spelling })));

const hits = (text: string): readonly number[] => [
  ...new Set(looked.filter(({ spelling }) => text.includes(spelling)).map(({ index }) => index)),
];

const names = ['mine', 'web', 'theirs', 'their-web', 'filed', 'run', 'bare'];
const commands: readonly (readonly string[])[] = [
  [],
  ['list'],
  ['list', '--all'],
  ...names.map((name) => ['get', name]),
  ['get', 'gone'],
  ['doctor'],
  ['trust', '--list'],
  ['trust'],
  ['trust', 'theirs'],
  ['config', 'get'],
  ['config', 'path'],
  ['config', 'validate'],
  ['completion', 'bash'],
  ['completion', 'words', '--', 'get', ''],
  ['disable', 'theirs'],
  ['enable', 'theirs'],
  ['remove', 'filed'],
  ['undo'],
  ['import', '--from', 'cursor', '--to', 'vscode', '--yes'],
];

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

describe('T25: thirty secrets', () => {
  test('are thirty, and would be found if they were there', () => {
    expect(new Set(secrets).size).toBe(30);
    for (const secret of secrets) {
      for (const text of [
        secret,
        encodeURIComponent(secret),
        Buffer.from(secret).toString('base64'),
        Buffer.from(`u:${secret}`).toString('base64'),
        `x=${Buffer.from(`abc${secret}`).toString('base64url')}`,
      ]) {
        expect(hits(`before ${text} after`)).toHaveLength(1);
      }
    }
  });

  test('come out of no command, in no mode, in no stream, in no file of holt’s and in no argument list', async () => {
    await using sandbox = await createSandbox(variables);
    await plant(sandbox);
    expect(take()).toBe('there are only thirty');
    const watching = new AbortController();
    const seen = watchArguments(watching.signal);
    const leaks: unknown[] = [];
    const look = async (line: readonly string[]): Promise<void> => {
      const { stdout, stderr } = await sandbox.holt(...line);
      const found = hits(stdout + stderr);
      if (found.length > 0) leaks.push([line.join(' '), found]);
    };
    for (const words of commands) {
      const [verb] = words;
      const changes = ['disable', 'enable', 'remove', 'undo', 'import'].includes(verb ?? '');
      const modes = changes
        ? [['--debug', '--verbose']]
        : [[], ['--json'], ['--verbose', '--debug'], ['--json', '--verbose', '--debug']];
      const at = words.includes('--') ? words.indexOf('--') : words.length;
      await Promise.all(modes.map((mode) => look([...words.slice(0, at), ...mode, ...words.slice(at)])));
    }
    watching.abort();
    expect(leaks).toEqual([]);
    const started = await seen;
    // It did see them.
    expect(started.some((line) => line.includes(executable))).toBe(true);
    expect(started.filter((line) => hits(line).length > 0)).toEqual([]);
    await approveAll(sandbox);
    const files = (await filesBelow(path.join(sandbox.home, '.holt'))).filter(
      (file) => !file.includes(`${path.sep}undo${path.sep}`) && !file.endsWith('mcp.json'),
    );
    const inFiles = await Promise.all(
      files.map(async (file) => [file, hits(await readFile(file, 'latin1'))] as const),
    );
    expect(inFiles.filter(([, found]) => found.length > 0)).toEqual([]);
    expect(files.map((file) => path.basename(file))).toContain('trust.json');
  }, 120_000);
});

/** Says yes to everything at a real terminal; the questions show no secret either. */
async function approveAll(sandbox: Sandbox): Promise<void> {
  const run = runInTerminal(sandbox, ['trust', '--all'], variables);
  let answered = 0;
  const questions = (): number => run.shown().split(/\[y\/N(?:\/d)?\]: /).length - 1;
  const ending = { isOver: false };
  void run.exited.then(() => (ending.isOver = true));
  const goesOn = async (): Promise<boolean> => {
    await expect.poll(() => ending.isOver || questions() > answered, { timeout: 20_000 }).toBe(true);
    return !ending.isOver;
  };
  while (await goesOn()) {
    answered += 1;
    run.type('y\r');
  }
  expect(answered).toBeGreaterThan(2);
  expect(hits(run.shown().replaceAll(/\r?\n/g, ''))).toEqual([]);
}
