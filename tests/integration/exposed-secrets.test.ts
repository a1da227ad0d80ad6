/** What commands say of a config file with a secret that others on the machine can read, and what becomes of its mode. */

import { chmod, stat } from 'node:fs/promises';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { openCommandFixture, type CommandFixture } from '../support/command-fixture.ts';

const secret = 'tok-1234567890';
const withSecret = {
  mcpServers: { held: { command: 'x', env: { API_KEY: secret } }, other: { command: 'y' } },
};
const withoutSecret = { mcpServers: { held: { command: 'x', env: { API_KEY: '${env:API_KEY}' } } } };

let fixture: CommandFixture;
beforeEach(async () => {
  fixture = await openCommandFixture();
});
afterEach(() => fixture[Symbol.asyncDispose]());

async function open(name: string, content: unknown): Promise<string> {
  const file = await fixture.write(name, content);
  await chmod(file, 0o644);
  return file;
}

const modeOf = async (file: string): Promise<number> => (await stat(file)).mode & 0o777;
/** Before `--`, after which everything belongs to the server. */
const jsonFirst = ([command = '', ...words]: readonly string[]): readonly string[] => [
  command,
  '--json',
  ...words,
];
const windsurf = '~/.codeium/windsurf/mcp_config.json';
const target = ['--user', '--agent', 'windsurf', '--yes'];

describe('T130: an edit that adds no secret keeps the mode of a file that holds one, and says that others can read it', () => {
  test.each([
    ['add', ['add', 'more', ...target, '--', 'z']],
    ['add-json', ['add-json', 'more', '{"command":"z"}', ...target]],
    ['disable', ['disable', 'other']],
    ['remove', ['remove', 'other']],
  ])('%s', async (_name, words) => {
    const file = await open(windsurf, withSecret);
    const warning = `${file} holds a secret and others can read it: chmod 600 ${file}`;
    const { code, out, error } = await fixture.run(...words);
    expect({ code, error, isOnStdout: out.includes('chmod') }).toEqual({
      code: 0,
      error: `warning: ${warning}\n`,
      isOnStdout: false,
    });
    expect(await modeOf(file)).toBe(0o644);

    // The same edit again after it was taken back, which is an edit as well.
    const undone = await fixture.run('undo', '--json');
    expect([JSON.parse(undone.out).warnings, undone.error]).toEqual([[warning], `warning: ${warning}\n`]);
    expect(JSON.parse((await fixture.run(...jsonFirst(words))).out).warnings).toEqual([warning]);
  });

  test('enable', async () => {
    const { held, other } = withSecret.mcpServers;
    const file = await open(windsurf, { mcpServers: { held, other: { ...other, disabled: true } } });
    expect((await fixture.run('enable', 'other')).error).toContain(`chmod 600 ${file}`);
    expect(await modeOf(file)).toBe(0o644);
  });

  test('import', async () => {
    const file = await open(windsurf, withSecret);
    await open('~/.cursor/mcp.json', { mcpServers: { new: { command: 'z' } } });
    const words = ['import', '--from', 'cursor', '--to', 'windsurf', '--yes', '--json'];
    const { out, error } = await fixture.run(...words);
    expect(error).toBe(`warning: ${file} holds a secret and others can read it: chmod 600 ${file}\n`);
    expect(JSON.parse(out).imported).toMatchObject([{ warnings: [expect.stringContaining('chmod 600')] }]);
    expect(await modeOf(file)).toBe(0o644);
  });

  test('config set', async () => {
    const file = await open('~/.holt/config.json', { network: { proxy: `http://me:${secret}@proxy.test` } });
    await chmod(path.dirname(file), 0o700);
    const { out, error } = await fixture.run('config', 'set', 'naming', 'plain', '--json');
    const warning = `${file} holds a secret and others can read it: chmod 600 ${file}`;
    expect([JSON.parse(out).warnings, error]).toEqual([[warning], `warning: ${warning}\n`]);
    expect(await modeOf(file)).toBe(0o644);
  });

  test('in a project’s file too, whose mode is not changed for a new secret either', async () => {
    const file = await open('./.mcp.json', { mcpServers: {} });
    const words = ['add', 'a', '--agent', 'claude-code', '--yes', '-e', `API_KEY=${secret}`, '--', 'z'];
    expect((await fixture.run(...words)).error).toContain(`others can read it: chmod 600 ${file}`);
    expect(await modeOf(file)).toBe(0o644);
  });
});

describe('T130: nothing is said', () => {
  test('of a file whose secrets are placeholders', async () => {
    await open(windsurf, withoutSecret);
    expect((await fixture.run('disable', 'held')).error).toBe('');
  });

  test('of a file that no longer holds a secret', async () => {
    await open(windsurf, withSecret);
    expect((await fixture.run('remove', 'held')).error).toBe('');
  });

  test('of a file that only its owner can read', async () => {
    const file = await open(windsurf, withSecret);
    await chmod(file, 0o600);
    expect((await fixture.run('disable', 'other')).error).toBe('');
  });

  test('of a file that the edit itself makes private, because it adds a secret', async () => {
    const file = await open(windsurf, withSecret);
    const { out, error } = await fixture.run(
      'add',
      'b',
      ...target.slice(0, 4),
      '-e',
      `API_KEY=${secret}`,
      '--',
      'z',
    );
    expect(error).toBe('');
    expect(out).toContain(
      `  note: ${file} could be read by others and holds a secret: it is now private (0600)\n`,
    );
    expect(await modeOf(file)).toBe(0o600);
  });

  test('of a settings file that becomes private because the new setting holds a secret', async () => {
    const file = await open('~/.holt/config.json', {});
    await chmod(path.dirname(file), 0o700);
    const words = ['config', 'set', 'network.proxy', `http://me:${secret}@proxy.test`];
    const { out, error } = await fixture.run(...words, '--json');
    const notes = [`${file} could be read by others and holds a secret: it is now private (0600)`];
    expect([JSON.parse(out), error]).toMatchObject([{ notes, warnings: [] }, '']);
    expect(await modeOf(file)).toBe(0o600);
  });
});
