/** What a project's own settings do to the user's servers: nothing. To its own they apply. */

import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { Host } from '../../src/host/host.ts';
import { openHostFixture, type HostFixture } from '../support/host-fixture.ts';

let fixture: HostFixture;
let project: string;
beforeEach(async () => {
  fixture = await openHostFixture();
  project = path.join(fixture.home, 'shop');
  await writeTo('.holt/mcp.json', { mcpServers: { users: fixture.program('echo') } }, fixture.home);
  await writeTo('.holt/mcp.json', { mcpServers: { shops: fixture.program('echo') } });
});
afterEach(() => fixture[Symbol.asyncDispose]());

async function writeTo(name: string, content: object, folder: string = project): Promise<void> {
  const file = path.join(folder, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(content));
}

/** As a person who approves what the project defines. */
function open(): Promise<Host> {
  return fixture.open({ cwd: project, interaction: { confirmTrust: () => Promise.resolve('allow') } });
}

async function echo(host: Host, server: string, text: string): Promise<'whole' | 'cut' | 'failed'> {
  await host.connect(server);
  const { name } = await host.findTool(`${server}.echo`);
  const { ok, text: answer } = await host.call(name, { text }, { asked: true });
  if (!ok) return 'failed';
  return answer.includes(text) ? 'whole' : 'cut';
}

describe.each(['.holt/config.json', '.holt/config.local.json'])('T124: a project’s %s', (file) => {
  test('hides none of the user’s servers', async () => {
    await writeTo(file, { agents: ['!holt', '*'] });
    const host = await open();
    expect(Object.keys(host.status())).toEqual(['users']);
    expect(await host.connect('users')).toEqual({ status: 'connected' });
  });

  test('sets time limits of its own servers, and none of the user’s', async () => {
    await writeTo(file, { timeouts: { startMs: 1, idleMs: 1, totalMs: 1, phases: { initializing: 1 } } });
    const host = await open();
    expect(await host.connect('users')).toEqual({ status: 'connected' });
    expect(await echo(host, 'users', 'hello')).toBe('whole');
    expect(await host.connect('shops')).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('timeouts.startMs'),
    });
  });

  test('limits the messages of its own servers, and none of the user’s', async () => {
    await writeTo(file, { limits: { messageBytes: 2048 } });
    const host = await open();
    const text = 'x'.repeat(4096);
    expect([await echo(host, 'users', text), await echo(host, 'shops', text)]).toEqual(['whole', 'failed']);
  });

  test('cuts the lists of its own servers, and none of the user’s', async () => {
    await writeTo('.holt/mcp.json', { mcpServers: { users: fixture.program('many-tools') } }, fixture.home);
    await writeTo('.holt/mcp.json', { mcpServers: { shops: fixture.program('many-tools') } });
    await writeTo(file, { limits: { listBytes: 64 << 10 } });
    const host = await open();
    await Promise.all(['users', 'shops'].map((server) => host.connect(server)));
    expect(host.problems().flatMap(({ code, server }) => (code === 'list-cut' ? [server] : []))).toEqual([
      'shops',
    ]);
  });

  test('cuts results of its own servers, and none of the user’s', async () => {
    await writeTo(file, { results: 1024 });
    const host = await open();
    const text = 'x'.repeat(4096);
    expect([await echo(host, 'users', text), await echo(host, 'shops', text)]).toEqual(['whole', 'cut']);
  });

  test('asks about tools of any server', async () => {
    await writeTo('.holt/config.json', { permissions: { allow: ['mcp__users'] } }, fixture.home);
    const decision = async (): Promise<string | undefined> => {
      const host = await open();
      await host.connect('users');
      return (await host.findTool('users.echo')).decision;
    };
    expect(await decision()).toBe('allow');
    await writeTo(file, { permissions: { ask: ['mcp__users'] } });
    expect(await decision()).toBe('ask');
  });

  test('denies tools of any server', async () => {
    await writeTo(file, { permissions: { deny: ['mcp__users'] } });
    const host = await open();
    await host.connect('users');
    await expect(
      host.findTool('users.echo').then(({ name }) => host.call(name, { text: 'x' })),
    ).rejects.toMatchObject({
      code: 'call-denied',
    });
  });
});
