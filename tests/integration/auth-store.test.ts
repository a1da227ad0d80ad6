/** Where logins are kept when the disk is full, when nothing can be written, and when the writer is killed. */

import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { scaled, startProgram } from '../fixtures/programs/start-program.ts';
import { configure, startAuth, storedLogins, type AuthFixture } from '../support/auth-fixture.ts';
import { createSandbox, executable, type Sandbox } from '../support/holt-command.ts';
import { openPty } from '../support/terminal.ts';

describe('a login that cannot be saved', () => {
  let provider: AuthFixture;
  let server: AuthFixture;
  beforeAll(async () => {
    provider = await startAuth('odd-provider', { device: { interval: 1 } });
    server = await startAuth('guarded-server', { issuer: provider.url });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  });

  /** Logged in a while ago: the token has run out. */
  async function createPerson(): Promise<Sandbox> {
    const person = await createSandbox();
    await configure(person, { secured: { url: server.url, oauth: { clientId: 'mine' } } });
    const { code, stderr } = await person.holt('auth', 'secured', '--device');
    expect([code, stderr]).toEqual([0, '']);
    const { 'mcp:secured': login } = await storedLogins(person);
    const tokens = { ...login?.tokens, expiresAt: 1000 };
    const file = { version: 1, credentials: { 'mcp:secured': { ...login, tokens } } };
    await person.write('~/.holt/credentials.json', JSON.stringify(file));
    return person;
  }

  test.each([
    ['F24: on a full disk', 'fills'],
    ['F25: where nothing can be written', 'is read-only'],
  ] as const)('%s is used anyway, reported once, and the old file stays intact', async (_, kind) => {
    await using person = await createPerson();
    const file = person.place('~/.holt/credentials.json');
    const before = await readFile(file, 'utf8');
    const command = [...narrow(path.dirname(file), kind), process.execPath, executable, 'status', 'secured'];
    const env = { PATH: process.env['PATH'] ?? '', HOME: person.home, TERM: 'xterm', NO_COLOR: '1' };
    let shown = '';
    const code = await openPty(command, { cols: 200, cwd: person.project, env }, (text) => (shown += text))
      .exited;
    expect([code, shown]).toEqual([0, expect.stringContaining('1 of 1 connected')]);
    expect(shown.match(/credentials\.json/g)).toHaveLength(1);
    expect(await readFile(file, 'utf8')).toBe(before);
  });
});

test('F26: killed at any moment, the logins are the old or the new ones, private, and the next save tidies up', async () => {
  const home = await mkdtemp(path.join(os.tmpdir(), 'holt-store-'));
  const folder = path.join(home, '.holt');
  const file = path.join(folder, 'credentials.json');
  let known = 0;
  for (let round = 0; round < scaled(6); round += 1) {
    await using program = startProgram('credential-writer', { id: `r${round}`, home, times: 1000 });
    for (let heard = 0; heard < 1 + Math.floor(Math.random() * 4); heard += 1) await program.nextLine();
    setTimeout(() => program.child.kill('SIGKILL'), Math.random() * 8);
    await program.ended;
    const { credentials } = JSON.parse(await readFile(file, 'utf8')) as { readonly credentials: object }; // holt's own file
    const count = Object.keys(credentials).length;
    expect([count > known, (await stat(file)).mode & 0o777]).toEqual([true, 0o600]);
    known = count;
  }
  await startProgram('credential-writer', { id: 'last', home, times: 1 }).ended;
  expect((await readdir(folder)).toSorted()).toEqual(['.gitignore', 'credentials.json']);
  await rm(home, { recursive: true, force: true });
}, 60_000);

const mounts = {
  fills: `cp -a "$0" "$0.old" && mount -t tmpfs -o size=64k tmpfs "$0" && cp -a "$0.old/." "$0" && rm -rf "$0.old" &&
    { cat /dev/zero > "$0/filler" 2>/dev/null; exec "$@"; }`,
  'is read-only': 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"',
};

/** Runs a command where a folder, as it is now, lies on a disk without room or on one that is read-only. */
function narrow(place: string, kind: keyof typeof mounts): readonly string[] {
  const unshare = ['unshare', '--mount', ...(process.getuid?.() === 0 ? [] : ['--map-root-user'])];
  const [program, ...args] = [...unshare, 'sh', '-c', mounts[kind], place];
  const isPossible = spawnSync(program, [...args, 'true']).status === 0;
  // Where that needs rights we lack: no file may grow at all.
  return isPossible ? [program, ...args] : ['sh', '-c', 'ulimit -f 0 && exec "$@"', 'sh'];
}
