/** What there is and what may run, in a host that lives: trust, files that change, servers that come and go. */

import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import type { Host } from '../../src/host/host.ts';
import { HoltError } from '../../src/kernel/errors.ts';
import type { Interaction, TrustQuestion } from '../../src/kernel/interaction.ts';
import {
  clientOf,
  nextEvent,
  nextStatus,
  openHostFixture,
  type HostFixture,
} from '../support/host-fixture.ts';
import { isAlive } from '../support/processes.ts';

async function writeServers(
  fixture: HostFixture,
  servers: Record<string, unknown>,
  text?: string,
): Promise<string> {
  const file = path.join(fixture.home, '.holt', 'mcp.json');
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, text ?? JSON.stringify({ mcpServers: servers }), { mode: 0o600 });
  return file;
}

/** A repository inside the home, with one server of its own. */
async function writeProject(fixture: HostFixture, servers: Record<string, unknown>): Promise<string> {
  const project = path.join(fixture.home, 'project');
  await mkdir(project);
  execFileSync('git', ['init', '-q', project]);
  await writeFile(path.join(project, '.mcp.json'), JSON.stringify({ mcpServers: servers }), { mode: 0o600 });
  return project;
}

describe('what may run', () => {
  test('a project’s server is not started before approval, and connect() alone asks no question', async () => {
    await using fixture = await openHostFixture();
    const project = await writeProject(fixture, { echo: fixture.program('echo') });
    const asked: TrustQuestion[] = [];
    const interaction = {
      confirmTrust: (question: TrustQuestion) => {
        asked.push(question);
        return Promise.resolve('allow' as const);
      },
    };
    const host = await fixture.open({ cwd: project, interaction });
    expect(host.status()).toEqual({ echo: { status: 'untrusted' } });
    expect(await host.connect()).toEqual({ echo: { status: 'untrusted' } });
    expect([asked.length, fixture.running()]).toEqual([0, 0]);
    expect(await host.connect('echo')).toEqual({ status: 'connected' });
    expect(asked.map(({ server, reason }) => [server, reason])).toEqual([['echo', 'new']]);
    // What it was given of our environment is little; its process is known by its number.
    expect(isAlive(host.report()['echo']?.pid ?? 0)).toBe(true);
    expect(host.definitions().map(({ name, trusted }) => [name, trusted])).toEqual([['echo', true]]);
    await host.close();
    const next = await fixture.open({ cwd: project });
    expect(await next.connect()).toEqual({ echo: { status: 'connected' } });
  });

  test('without a handler it stays untrusted, and after a refusal as well', async () => {
    await using fixture = await openHostFixture();
    const project = await writeProject(fixture, { echo: fixture.program('echo') });
    const host = await fixture.open({ cwd: project });
    expect(await host.connect('echo')).toEqual({ status: 'untrusted' });
    const refusing = await fixture.open({
      cwd: project,
      interaction: { confirmTrust: () => Promise.resolve('deny') },
    });
    expect(await refusing.connect('echo')).toEqual({ status: 'untrusted' });
    expect(fixture.running()).toBe(0);
  });

  test('a server that needs input says which, and runs once it is answered', async () => {
    await using fixture = await openHostFixture();
    const project = path.join(fixture.home, 'code');
    await mkdir(path.join(project, '.vscode'), { recursive: true });
    await writeFile(
      path.join(project, '.vscode', 'mcp.json'),
      JSON.stringify({
        inputs: [{ id: 'key', type: 'promptString', description: 'API key', password: true }],
        servers: { echo: { ...fixture.program('echo'), env: { KEY: '${input:key}' } } },
      }),
      { mode: 0o600 },
    );
    const allow = { confirmTrust: () => Promise.resolve('allow' as const) };
    const host = await fixture.open({ cwd: project, interaction: allow });
    expect(await host.connect('echo')).toEqual({ status: 'needs_input', inputs: ['key'] });
    await host.close();
    const asking = await fixture.open({
      cwd: project,
      interaction: { ...allow, askSecret: () => Promise.resolve('s3cret-value') },
    });
    expect(await asking.connect('echo')).toEqual({ status: 'connected' });
    const told = await (
      await clientOf(asking, 'echo')
    ).callTool({ name: 'environment', arguments: { name: 'KEY' } });
    expect(JSON.stringify(told)).toContain('s3cret-value');
  });

  test('an unknown name is an error with the nearest name', async () => {
    await using fixture = await openHostFixture();
    const host = await fixture.open({ servers: { echo: fixture.program('echo') } });
    const error = await host.connect('ecko').catch((thrown: unknown) => thrown);
    expect(HoltError.is(error, 'server-not-found') && error.remedy).toBe('Did you mean "echo"?');
  });
});

describe('a pending question', () => {
  /** Somebody who never answers, and whom each question can be taken from; or who does not let go of it. */
  function createThinker(isObedient = true): {
    readonly ask: <Answer>(none: Answer) => (question: unknown, signal?: AbortSignal) => Promise<Answer>;
    readonly asked: Promise<AbortSignal>;
  } {
    let tell: (signal: AbortSignal) => void = () => undefined;
    const asked = new Promise<AbortSignal>((resolve) => (tell = resolve));
    const ask =
      <Answer>(none: Answer) =>
      (_question: unknown, signal?: AbortSignal): Promise<Answer> =>
        new Promise((resolve) => {
          if (isObedient) signal?.addEventListener('abort', () => resolve(none), { once: true });
          if (signal !== undefined) tell(signal);
        });
    return { ask, asked };
  }

  test.each([
    ['is switched off', (host: Host) => host.disable('echo'), 'disabled', true],
    ['is removed', (host: Host) => host.remove('echo'), undefined, true],
    ['is disconnected', (host: Host) => host.disconnect('echo'), 'untrusted', true],
    ['is left with its host', (host: Host) => host.close(), 'untrusted', true],
    ['is switched off, whoever is asked', (host: Host) => host.disable('echo'), 'disabled', false],
    ['is left with its host, whoever is asked', (host: Host) => host.close(), 'untrusted', false],
  ])('for trust is cancelled when the server %s', async (_how, end, status, isObedient) => {
    await using fixture = await openHostFixture();
    const project = await writeProject(fixture, { echo: fixture.program('echo') });
    const { ask, asked } = createThinker(isObedient);
    const host = await fixture.open({ cwd: project, interaction: { confirmTrust: ask('undecided') } });
    const connecting = host.connect('echo');
    const signal = await asked;
    expect(signal.aborted).toBe(false);
    await end(host);
    expect([signal.aborted, host.status()['echo']?.status]).toEqual([true, status]);
    await connecting;
    expect(host.status()['echo']?.status).toBe(status);
  });

  test('for trust before a login is cancelled when the server is removed, not when a start fails', async () => {
    await using fixture = await openHostFixture();
    const project = await writeProject(fixture, { far: { type: 'http', url: 'https://far.test/mcp' } });
    const { ask, asked } = createThinker();
    const host = await fixture.open({ cwd: project, interaction: { confirmTrust: ask('undecided') } });
    const login = host.authenticate('far').catch((thrown: unknown) => thrown);
    const signal = await asked;
    expect([await host.connect(), signal.aborted]).toEqual([{ far: { status: 'untrusted' } }, false]);
    await host.remove('far');
    expect(await login).toMatchObject({ code: 'trust-required' });
    expect(signal.aborted).toBe(true);
  });

  test('for a value is cancelled, and the next one that is still needed is asked', async () => {
    await using fixture = await openHostFixture();
    const folder = path.join(fixture.home, '.config', 'Code', 'User');
    await mkdir(folder, { recursive: true });
    const names = ['one', 'two', 'three'];
    const servers = Object.fromEntries(
      names.map((name) => [name, { ...fixture.program('echo'), env: { KEY: `\${input:${name}}` } }]),
    );
    const inputs = names.map((id) => ({ id, type: 'promptString', description: id }));
    await writeFile(path.join(folder, 'mcp.json'), JSON.stringify({ inputs, servers }), { mode: 0o600 });
    const { ask, asked } = createThinker();
    const labels: string[] = [];
    const askSecret: NonNullable<Interaction['askSecret']> = (prompt, signal) => {
      labels.push(prompt.label);
      return prompt.label === 'one' ? ask(undefined)(prompt, signal) : Promise.resolve('value');
    };
    const host = await fixture.open({ interaction: { askSecret } });
    const connecting = host.connect();
    await asked;
    await host.disable('two');
    await host.disable('one');
    const disabled = { status: 'disabled' };
    expect(await connecting).toEqual({ one: disabled, two: disabled, three: { status: 'connected' } });
    expect(labels).toEqual(['one', 'three']);
  });

  test.each([
    [
      'the server is switched off',
      'server-disabled',
      async (host: Host) => void (await host.disable('echo')),
    ],
    ['the caller goes', 'call-aborted', async (_: Host, caller: AbortController) => caller.abort()],
  ])('for a call is cancelled when %s', async (_how, code, end) => {
    await using fixture = await openHostFixture();
    const { ask, asked } = createThinker();
    const host = await fixture.open({
      servers: { echo: fixture.program('echo') },
      interaction: { askPermission: ask('deny') },
    });
    const caller = new AbortController();
    const options = { signal: caller.signal };
    const call = host.call('mcp__echo__echo', { text: 'x' }, options).catch((thrown: unknown) => thrown);
    const signal = await asked;
    await end(host, caller);
    expect(await call).toMatchObject({ code });
    expect(signal.aborted).toBe(true);
  });

  test('ends with approval: reading the files again does not restart the server', async () => {
    await using fixture = await openHostFixture();
    const project = await writeProject(fixture, { echo: fixture.program('echo') });
    const host = await fixture.open({
      cwd: project,
      interaction: { confirmTrust: () => Promise.resolve('allow') },
    });
    const begun = nextEvent(host, 'mcp.phase', ({ to }) => to === 'connecting').then(() => host.reload());
    expect(await host.connect('echo')).toEqual({ status: 'connected' });
    expect(await begun).toEqual({ added: [], removed: [], changed: [] });
  });
});

describe('files that change', () => {
  test('reload restarts only what changed; other servers keep their process', async () => {
    await using fixture = await openHostFixture();
    await writeServers(fixture, {
      kept: fixture.program('echo'),
      changed: fixture.program('echo'),
      gone: fixture.program('echo'),
    });
    const host = await fixture.open();
    await host.connect();
    const before = host.report();
    await writeServers(fixture, {
      kept: { ...fixture.program('echo'), timeouts: { idleMs: 5000 } },
      changed: { ...fixture.program('echo'), env: { A: '1' } },
      added: fixture.program('echo'),
    });
    const told = nextEvent(host, 'mcp.config.changed');
    const up = Promise.all(['changed', 'added'].map((name) => nextStatus(host, name, 'connected')));
    expect(await host.reload()).toEqual({
      added: ['added'],
      removed: ['gone'],
      changed: ['changed', 'kept'],
    });
    expect(await told).toMatchObject({ added: ['added'], removed: ['gone'], changed: ['changed', 'kept'] });
    await up;
    const after = host.report();
    expect(Object.keys(after).toSorted()).toEqual(['added', 'changed', 'kept']);
    expect(after['kept']?.pid).toBe(before['kept']?.pid);
    expect(after['changed']?.pid).not.toBe(before['changed']?.pid);
    expect(fixture.running()).toBe(3);
  });

  test('a call in flight outlives a reload that does not concern it', async () => {
    await using fixture = await openHostFixture();
    await writeServers(fixture, { busy: fixture.program('slow-call'), other: fixture.program('echo') });
    const host = await fixture.open();
    await host.connect();
    const call = (await clientOf(host, 'busy')).callTool({ name: 'wait', arguments: { ms: 400 } });
    await writeServers(fixture, { busy: fixture.program('slow-call') });
    await host.reload();
    expect(JSON.stringify(await call)).toContain('waited');
    expect(Object.keys(host.status())).toEqual(['busy']);
  });

  test('F50: a half-saved file restarts nothing, says where it is broken, and is applied once it is complete', async () => {
    await using fixture = await openHostFixture();
    const file = await writeServers(fixture, { echo: fixture.program('echo') });
    const host = await fixture.open({ watch: true }, { quietMs: 20 });
    await host.connect();
    const { pid } = host.report()['echo'] ?? {};
    const steps: string[] = [];
    host.on('mcp.phase', ({ to }) => steps.push(to));
    await writeServers(fixture, {}, '{"mcpServers": {\n  "echo": {');
    await host.reload();
    expect(host.problems().map((problem) => [problem.severity, problem.file, problem.line])).toEqual([
      ['error', file, 2],
    ]);
    expect([host.status(), host.report()['echo']?.pid, steps]).toEqual([
      { echo: { status: 'connected' } },
      pid,
      [],
    ]);
    const added = nextEvent(host, 'mcp.config.changed', (event) => event.added.includes('second'));
    const up = nextStatus(host, 'second', 'connected');
    await writeServers(fixture, { echo: fixture.program('echo'), second: fixture.program('echo', 'again') });
    await added;
    await up;
    expect([host.problems(), host.report()['echo']?.pid]).toEqual([[], pid]);
  });
});

describe('servers that come and go at run time', () => {
  test('one is added, replaced, switched off and on, and removed', async () => {
    await using fixture = await openHostFixture();
    const host = await fixture.open();
    expect(await host.add('x', fixture.program('echo'))).toEqual({ status: 'connected' });
    const { pid } = host.report()['x'] ?? {};
    await host.add('x', { ...fixture.program('echo'), env: { B: '2' } });
    expect(host.report()['x']?.pid).not.toBe(pid);
    expect(await host.disable('x')).toEqual({ status: 'disabled' });
    expect([await host.connect(), fixture.running()]).toEqual([{ x: { status: 'disabled' } }, 0]);
    await host.enable('x');
    expect(await host.connect('x')).toEqual({ status: 'connected' });
    await host.remove('x');
    expect([host.status(), host.definitions(), fixture.running()]).toEqual([{}, [], 0]);
  });

  test('connect starts a disabled server until it is disconnected', async () => {
    await using fixture = await openHostFixture();
    const off = { ...fixture.program('echo'), enabled: false };
    const host = await fixture.open({
      servers: { x: off, y: fixture.program('echo') },
      policy: { default: 'allow' },
    });
    expect(await host.connect('x', { ifEnabled: true })).toEqual({ status: 'disabled' });
    expect(await host.connect()).toMatchObject({ x: { status: 'disabled' }, y: { status: 'connected' } });
    await expect(host.call('mcp__x__echo', { text: 'a' })).rejects.toMatchObject({ code: 'server-disabled' });

    expect(await host.connect('x')).toEqual({ status: 'connected' });
    expect((await host.call('mcp__x__echo', { text: 'a' })).text).toBe('a');
    await host.reload();
    expect(host.status()['x']).toEqual({ status: 'connected' });

    await host.disconnect('x');
    expect([host.status()['x'], fixture.running()]).toEqual([{ status: 'disabled' }, 1]);
    await host.disable('y');
    expect(await host.connect('y')).toEqual({ status: 'connected' });
    await host.disconnect();
    expect(host.status()).toEqual({ x: { status: 'disabled' }, y: { status: 'disabled' } });
    await host.connect('x');
    await host.disable('x');
    expect(host.status()['x']).toEqual({ status: 'disabled' });
    await host.enable('x');
    await host.connect('x');
    await host.disconnect('x');
    expect([host.status()['x'], fixture.running()]).toEqual([{ status: 'idle' }, 0]);
  });

  test('each switch emits an event, whether the server ran or not', async () => {
    await using fixture = await openHostFixture();
    const host = await fixture.open({ servers: { x: fixture.program('echo') } });
    const told: string[] = [];
    host.on('mcp.status.changed', ({ status }) => told.push(status.status));
    await host.disable('x');
    await host.enable('x');
    await host.connect('x');
    await host.disable('x');
    expect(told).toEqual(['disabled', 'idle', 'connecting', 'connected', 'disabled']);
  });

  test('an invalid config is refused with the reason', async () => {
    await using fixture = await openHostFixture();
    const host = await fixture.open();
    const error = await host
      .add('x', { command: 'a', url: 'https://b.test' })
      .catch((thrown: unknown) => thrown);
    expect(HoltError.is(error, 'config-invalid') && error.message).toMatch(/^Invalid server config: /);
    const unnamed: string = JSON.parse('5'); // what a program without types may pass
    await expect(host.add(unnamed, fixture.program('echo'))).rejects.toMatchObject({
      code: 'config-invalid',
      message: 'Invalid server config: a server name is not a string',
    });
    expect(host.status()).toEqual({});
  });

  test('disconnect ends one or all, and connect brings them back', async () => {
    await using fixture = await openHostFixture();
    const host = await fixture.open({ servers: { a: fixture.program('echo'), b: fixture.program('echo') } });
    await host.connect();
    await host.disconnect('a');
    expect([host.status(), fixture.running()]).toEqual([
      { a: { status: 'idle' }, b: { status: 'connected' } },
      1,
    ]);
    await host.disconnect();
    expect([host.status(), fixture.running()]).toEqual([{ a: { status: 'idle' }, b: { status: 'idle' } }, 0]);
    expect(await host.connect('b')).toEqual({ status: 'connected' });
  });

  test('a closed host starts nothing any more', async () => {
    await using fixture = await openHostFixture();
    const host = await fixture.open({ servers: { a: fixture.program('echo') } });
    await host.close();
    await host.close();
    expect(await host.connect()).toEqual({ a: { status: 'idle' } });
    await expect(host.connect('a')).rejects.toMatchObject({ code: 'host-closed' });
    await expect(host.reload()).rejects.toMatchObject({ code: 'host-closed' });
  });

  test('secrets in what a server says on stderr do not reach the status', async () => {
    await using fixture = await openHostFixture();
    const { command } = fixture.program('echo');
    const leak = 'process.stderr.write("token " + process.env.TOKEN + "\\n"); process.exit(1)';
    const host = await fixture.open({
      servers: { leaky: { command, args: ['-e', leak], env: { TOKEN: 'tok_5f2b9c1d7e' } } },
    });
    const { leaky } = await host.connect();
    expect(JSON.stringify(leaky)).toContain('[secret]');
    expect(JSON.stringify(leaky)).not.toContain('tok_5f2b9c1d7e');
  });
});

test('a change that is to last is written by the words of the agent it is for, and is there the next time', async () => {
  await using fixture = await openHostFixture();
  const host = await fixture.open();
  await host.add('kept', fixture.program('echo'), { save: {} });
  await host.add('other', fixture.program('echo'), { save: { agent: 'cursor', scope: 'user' } });
  await host.add('passing', fixture.program('echo'));
  await host.close();

  const next = await fixture.open();
  expect(next.definitions().map(({ name, origin }) => [name, origin.agent])).toEqual([
    ['kept', 'holt'],
    ['other', 'cursor'],
  ]);
  await next.disable('kept', { save: {} });
  await next.remove('other', { save: {} });
  await next.close();

  const last = await fixture.open();
  expect(last.status()).toEqual({ kept: { status: 'disabled' } });
  await expect(last.add('x', fixture.program('echo'), { save: { agent: 'nobody' } })).rejects.toMatchObject({
    code: 'agent-unknown',
  });
});
