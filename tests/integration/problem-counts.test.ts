/** `holt`, `holt doctor` and `GET /problems` count the same problems, whatever is wrong in a home. */

import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Problem } from '../../src/kernel/problems.ts';
import { openCommandFixture, type CommandRun, type CommandFixture } from '../support/command-fixture.ts';
import { openServiceFixture } from '../support/service-fixture.ts';

let line: CommandFixture;
beforeAll(async () => {
  line = await openCommandFixture();
});
afterAll(() => line[Symbol.asyncDispose]());

type Files = Readonly<Record<string, unknown>>;

const node = { command: process.execPath };
const login = {
  version: 1,
  credentials: {
    'mcp:shop': {
      serverUrl: 'https://shop.test/mcp',
      issuer: 'https://shop.test',
      tokens: { access: 'a', expiresAt: 1 },
    },
  },
};
const unset = { A: '${env:NOT_SET_HERE}' };
const secret = { ...node, env: { API_TOKEN: 'ghp_abcdefghijklmnopqrstuvwxyz0123456789' } };

/** What is in a home, and how many errors and warnings that makes. */
const homes: readonly (readonly [what: string, errors: number, warnings: number, files: Files])[] = [
  ['nothing at all', 0, 0, {}],
  ['a server that only has an info', 0, 0, { '.holt/mcp.json': { mcpServers: { fs: node } } }],
  [
    'a program that is missing',
    0,
    1,
    { '.holt/mcp.json': { mcpServers: { fs: { command: 'no-such-program' } } } },
  ],
  [
    'a secret in plain text that others can read',
    0,
    2,
    { '.cursor/mcp.json': { mcpServers: { fs: secret } } },
  ],
  [
    'an expired login',
    0,
    1,
    {
      '.holt/mcp.json': { mcpServers: { shop: { url: 'https://shop.test/mcp' } } },
      '.holt/credentials.json': login,
    },
  ],
  [
    'a file that cannot be parsed',
    1,
    0,
    { '.holt/mcp.json': { mcpServers: { fs: node } }, '.cursor/mcp.json': '{"mcpServers": {' },
  ],
  ['nothing but a file that cannot be parsed', 1, 0, { '.cursor/mcp.json': '{"mcpServers": {' }],
  [
    'damaged files of holt’s own',
    2,
    0,
    {
      '.holt/mcp.json': { mcpServers: { fs: node } },
      '.holt/pins.json': '{"damaged',
      '.holt/credentials.json': '{"damaged',
    },
  ],
  [
    'settings that mean nothing',
    0,
    2,
    {
      '.holt/mcp.json': { mcpServers: { fs: node } },
      '.holt/config.json': { colour: 'red', agents: ['nobody', '*'] },
    },
  ],
  [
    'servers of the project that wait for approval, one of them in a shadow',
    0,
    2,
    {
      '.holt/mcp.json': { mcpServers: { fs: node } },
      'shop/.mcp.json': { mcpServers: { fs: { command: 'other' }, more: node } },
    },
  ],
  [
    'a server under three names, and a variable that is not set',
    0,
    2,
    { '.cursor/mcp.json': { mcpServers: { a: node, b: node, c: node, d: { ...node, env: unset } } } },
  ],
];

interface Counts {
  readonly errors: number;
  readonly warnings: number;
}

function countsOf(problems: readonly Problem[]): Counts {
  const count = (wanted: string): number => problems.filter(({ severity }) => severity === wanted).length;
  return { errors: count('error'), warnings: count('warning') };
}

/** As a footer shows them; zero where it shows none. */
function shownIn({ out }: CommandRun): Counts {
  const [, errors = '0', warnings = '0'] = /(\d+) errors?, (\d+) warnings?/.exec(out) ?? [];
  return { errors: Number(errors), warnings: Number(warnings) };
}

async function write(home: string, files: Files): Promise<void> {
  await mkdir(path.join(home, 'shop', '.git'), { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(home, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  }
}

describe('the same problems are counted', () => {
  test.each(homes)('with %s', async (_what, errors, warnings, files) => {
    await using served = await openServiceFixture({
      project: 'shop',
      prepare: ({ home }) => write(home, files),
    });
    const { home } = served.fixture;
    const run = (...words: readonly string[]): Promise<CommandRun> =>
      line.bare('--home', home, '--cwd', path.join(home, 'shop'), ...words);
    const doctor: { readonly problems: readonly Problem[] } = JSON.parse((await run('doctor', '--json')).out);
    const expected = { errors, warnings };
    expect(countsOf(doctor.problems)).toEqual(expected);
    const { problems } = (await served.ask('GET /problems')).json as typeof doctor; // the route's own schema says so
    expect(problems).toEqual(doctor.problems.map(({ ...problem }) => ({ ...problem, text: undefined })));
    expect(shownIn(await run('doctor'))).toEqual(expected);
    expect(JSON.parse((await run('--json')).out)).toMatchObject(expected);
    expect(shownIn(await run())).toEqual(expected);
  });
});
