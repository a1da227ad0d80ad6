/** What a host offers: tools with and without memory, changed tools, hooks, resources, built-in tools, plugins. */

import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { toAnthropicTools } from '../../src/bridges/anthropic.ts';
import { discoverAndLoadTools } from '../../src/host/discover-and-load-tools.ts';
import { runBuiltInTool } from '../../src/calls/built-in-calls.ts';
import { offeredBuiltInTools } from '../../src/catalog-state/built-in-tools.ts';
import { runSearchTool } from '../../src/calls/search-tools.ts';
import type { Hooks } from '../../src/calls/hooks.ts';
import type { Host, HostOptions } from '../../src/host/host.ts';
import { HoltError } from '../../src/kernel/errors.ts';
import type { Interaction } from '../../src/kernel/interaction.ts';
import type { ServerConfig } from '../../src/roster/server-config.ts';
import { nextEvent, openHostFixture, type HostFixture } from '../support/host-fixture.ts';
import { serveHttp } from '../support/http-servers.ts';

const allowed = { policy: { default: 'allow' } } as const;

function withNote(fixture: HostFixture, ...args: readonly string[]): HostOptions {
  return {
    ...allowed,
    servers: { s: fixture.program('changes-tool-descriptions', fixture.startsFile, ...args) },
  };
}

describe('tools', () => {
  test('a warm cache responds immediately, before any server starts', async () => {
    await using fixture = await openHostFixture();
    const first = await fixture.open(withNote(fixture, 'one'));
    const before = await first.tools();
    await first.close();
    expect([before.map(({ name }) => name), await fixture.starts()]).toEqual([
      ['mcp__s__read', 'mcp__s__write'],
      1,
    ]);

    const next = await fixture.open(withNote(fixture, 'one'));
    const known = await next.tools();
    expect(next.status()).toEqual({ s: { status: 'idle' } });
    expect(JSON.parse(JSON.stringify(known))).toEqual(JSON.parse(JSON.stringify(before)));
    expect((await next.call('mcp__s__read')).text).toBe('read');
    expect(await fixture.starts()).toBe(2);
  });

  test('a server that is cached under one name is listed again when it is renamed', async () => {
    await using fixture = await openHostFixture();
    const first = await fixture.open(withNote(fixture, 'one'));
    expect(await first.tools()).toHaveLength(2);
    await first.close();
    const program = fixture.program('changes-tool-descriptions', fixture.startsFile, 'one');
    const servers = { s: program, twin: program };
    const next = await fixture.open({ ...allowed, pinning: 'withhold', servers }, { startsOnlyNeeded: true });
    expect((await next.tools()).map(({ name }) => name)).toEqual([
      'mcp__s__read',
      'mcp__s__write',
      'mcp__twin__read',
      'mcp__twin__write',
    ]);
    expect([(await next.tools({ server: 'twin' })).length, await fixture.starts()]).toEqual([2, 2]);
  });

  test('a failed server does not affect others, and discoverAndLoadTools reports the reason', async () => {
    await using fixture = await openHostFixture();
    const servers = { e: fixture.program('echo'), bad: fixture.program('exits-immediately') };
    const { tools, errors, host } = await discoverAndLoadTools({
      home: fixture.home,
      cwd: fixture.home,
      env: { PATH: process.env['PATH'] },
      servers,
    });
    await host.close();
    expect(tools.map(({ name, decision }) => [name, decision])).toEqual([
      ['mcp__e__echo', 'ask'],
      ['mcp__e__pid', 'ask'],
      ['mcp__e__environment', 'ask'],
    ]);
    expect(errors).toEqual({ bad: expect.stringContaining('bad') });
  });

  test('T53 a tool that is not what it was is withheld everywhere until it is accepted', async () => {
    await using fixture = await openHostFixture();
    const toolsFile = path.join(fixture.home, 'description.txt');
    const options = {
      ...allowed,
      pinning: 'withhold',
      servers: { s: fixture.program('changes-tool-descriptions', fixture.startsFile, toolsFile) },
    } as const;
    await writeFile(toolsFile, 'Writes a file');
    const host = await fixture.open(options);
    expect(await host.tools()).toHaveLength(2);
    const mutated = nextEvent(host, 'mcp.tool.mutated');
    await writeFile(toolsFile, 'Writes a file\u200b');
    await host.call('mcp__s__read', { announce: true });

    expect(await mutated).toMatchObject({ server: 's', tool: 'write', withheld: true });
    expect((await host.tools()).map(({ tool }) => tool)).toEqual(['read']);
    expect(host.withheld()).toEqual([
      {
        server: 's',
        tool: 'write',
        changes: ['- description: "Writes a file"', '+ description: "Writes a file⟨U+200B⟩"'],
      },
    ]);
    await expect(host.call('mcp__s__write')).rejects.toMatchObject({ code: 'tool-changed' });
    await expect(host.findTool('s.write')).rejects.toMatchObject({ code: 'tool-changed' });

    expect(await host.acceptPins('s', 'write')).toMatchObject([{ server: 's', tool: 'write' }]);
    expect(host.withheld()).toEqual([]);
    expect((await host.call('mcp__s__write')).text).toBe('write');
  });

  test.each([
    [undefined, {}, 2, false],
    ['warn', {}, 2, false],
    ['withhold', {}, 1, true],
    ['off', {}, 2, undefined],
    ['off', { pinning: 'withhold' }, 1, true],
    ['warn', { pinning: 'review' }, 1, true],
    ['withhold', { pinning: 'warn' }, 2, false],
  ] as const)(
    'pinning %j with an entry of %j offers %d tools after a change of one',
    async (pinning, entry, offered, withheld) => {
      await using fixture = await openHostFixture();
      const toolsFile = path.join(fixture.home, 'description.txt');
      const program = fixture.program('changes-tool-descriptions', fixture.startsFile, toolsFile);
      const servers = { s: { ...program, ...entry } };
      await writeFile(toolsFile, 'Writes a file');
      const host = await fixture.open({ ...allowed, ...(pinning === undefined ? {} : { pinning }), servers });
      const mutated: boolean[] = [];
      host.on('mcp.tool.mutated', (event) => mutated.push(event.withheld));
      expect(await host.tools()).toHaveLength(2);
      const changed = nextEvent(host, 'mcp.tools.changed');
      await writeFile(toolsFile, 'Deletes a file');
      await host.call('mcp__s__read', { announce: true });
      await changed;
      await expect.poll(async () => (await host.tools()).length).toBe(offered);
      expect(mutated).toEqual(withheld === undefined ? [] : [withheld]);
    },
  );

  test.each(['mcp__e__echo', 'e.echo', 'e/echo', 'e:echo', 'e echo'])(
    '"%s" is one way to write a tool',
    async (selector) => {
      await using fixture = await openHostFixture();
      const host = await fixture.open({
        servers: { e: fixture.program('echo'), other: fixture.program('echo') },
      });
      expect((await host.findTool(selector)).name).toBe('mcp__e__echo');
      expect(host.status()['other']).toEqual({ status: 'idle' });
      expect(await host.call(selector, { text: 'hi' }, { asked: true })).toMatchObject({
        text: 'hi',
        tool: 'echo',
      });
      expect(host.status()['other']).toEqual({ status: 'idle' });
    },
  );

  test('an ambiguous selector is reported with both tools', async () => {
    await using fixture = await openHostFixture();
    const tools = (name: string): ServerConfig => fixture.program('named-tools', name);
    const host = await fixture.open({ servers: { a: tools('b.c'), 'a.b': tools('c') } });
    await expect(host.findTool('a.b.c')).rejects.toMatchObject({
      code: 'tool-ambiguous',
      details: { matches: ['mcp__a__b_c', 'mcp__a_b__c'] },
    });
    await expect(host.call('a.b.c')).rejects.toMatchObject({ code: 'tool-ambiguous' });
    await expect(host.findTool('a.nothing')).rejects.toMatchObject({ code: 'tool-not-found' });
    await expect(host.call('a.nothing')).rejects.toMatchObject({ code: 'tool-not-found' });
  });

  test('naming, plugins and their hooks', async () => {
    await using fixture = await openHostFixture();
    const before: Hooks = { 'tool.execute.before': () => ({ arguments: { text: 'from a plugin' } }) };
    const host = await fixture.open({
      ...allowed,
      naming: 'plain',
      plugins: [{ name: 'p', servers: { e: fixture.program('echo') }, hooks: before }],
    });
    expect(host.definitions().map(({ origin }) => origin.scope)).toEqual(['plugin']);
    expect((await host.call('e_echo', { text: 'mine' })).text).toBe('from a plugin');
  });
});

describe('hooks', () => {
  const open = async (fixture: HostFixture, options: HostOptions): ReturnType<HostFixture['open']> =>
    fixture.open({ ...allowed, servers: { e: fixture.program('echo') }, ...options });

  test('one after the other they change arguments and results, and see what the one before left', async () => {
    await using fixture = await openHostFixture();
    const seen: unknown[] = [];
    const host = await open(fixture, {
      hooks: {
        'tool.execute.before': [
          (call) => ({ arguments: { text: `${String(call.arguments['text'])}!` } }),
          (call) => void seen.push(call),
        ],
        'tool.execute.after': (_call, result) => ({ ...result, text: result.text.toUpperCase() }),
      },
    });
    expect((await host.call('mcp__e__echo', { text: 'hi' })).text).toBe('HI!');
    expect(seen).toEqual([
      { name: 'mcp__e__echo', server: 'e', tool: 'echo', agent: 'holt', arguments: { text: 'hi!' } },
    ]);
  });

  test('one that refuses denies; one that fails is skipped unless it is required', async () => {
    await using fixture = await openHostFixture();
    const warnings: string[] = [];
    const fails = (): never => {
      throw new Error('broken');
    };
    const logger = { debug: () => undefined, warn: (text: string) => void warnings.push(text) };
    const refusing = await open(fixture, { hooks: { 'tool.execute.before': () => ({ deny: 'not today' }) } });
    await expect(refusing.call('mcp__e__echo')).rejects.toMatchObject({
      code: 'call-denied',
      message: expect.stringContaining('not today'),
    });
    const skipping = await open(fixture, { hooks: { 'tool.execute.before': fails }, logger });
    expect((await skipping.call('mcp__e__echo', { text: 'a' })).text).toBe('a');
    expect(warnings).toEqual([
      'The hook tool.execute.before of the program failed for tool "echo" of server "e" and was skipped: broken',
    ]);
    const required = await open(fixture, {
      hooks: { 'tool.execute.before': { run: fails, required: true } },
    });
    await expect(required.call('mcp__e__echo')).rejects.toMatchObject({ code: 'call-denied' });
  });

  test('a hook that fails is reported with its plugin, its event, the server and the tool', async () => {
    await using fixture = await openHostFixture();
    const fails = (): never => {
      throw new Error('broken');
    };
    const host = await open(fixture, {
      plugins: [
        {
          name: 'guard',
          hooks: { 'tool.execute.after': fails, 'server.connect.before': fails },
        },
        { name: 'strict', hooks: { 'tool.execute.before': { run: fails, required: true } } },
      ],
    });
    const warnings: unknown[] = [];
    host.on('mcp.warning', ({ server, code, message }) => warnings.push([server, code, message]));
    await expect(host.call('mcp__e__echo')).rejects.toMatchObject({
      code: 'call-denied',
      message:
        'The call of mcp__e__echo was refused, because the required hook tool.execute.before of plugin "strict" failed for tool "echo" of server "e": broken',
    });
    expect(warnings).toEqual([
      [
        'e',
        'hook-failed',
        'The hook server.connect.before of plugin "guard" failed for server "e" and was skipped: broken',
      ],
    ]);
    const after = await open(fixture, {
      plugins: [{ name: 'guard', hooks: { 'tool.execute.after': fails } }],
    });
    const told = nextEvent(after, 'mcp.warning', ({ code }) => code === 'hook-failed');
    await after.call('mcp__e__echo');
    expect((await told).message).toBe(
      'The hook tool.execute.after of plugin "guard" failed for tool "echo" of server "e" and was skipped: broken',
    );
  });

  test('a server that a hook refuses is blocked', async () => {
    await using fixture = await openHostFixture();
    const host = await open(fixture, {
      hooks: { 'server.connect.before': ({ name }) => ({ deny: `no ${name} here` }) },
    });
    expect(await host.connect('e')).toEqual({
      status: 'blocked',
      error: expect.stringContaining('no e here'),
    });
    await expect(host.call('mcp__e__echo')).rejects.toMatchObject({ code: 'trust-required' });
  });

  test('commands of the settings read JSON and answer with JSON', async () => {
    await using fixture = await openHostFixture();
    const script = path.join(fixture.home, 'hook.mjs');
    await writeFile(
      script,
      `let text = ''; for await (const chunk of process.stdin) text += chunk;
       const { event, call, result } = JSON.parse(text);
       const said = event === 'tool.execute.before'
         ? (call.arguments.text === 'stop' ? { deny: 'a command says no' } : { arguments: { text: call.arguments.text + ' seen' } })
         : { result: { text: result.text + ' and changed' } };
       console.log(JSON.stringify(said));`,
    );
    await mkdir(path.join(fixture.home, '.holt'), { recursive: true, mode: 0o700 });
    const command = { command: process.execPath, args: [script] };
    const hooks = {
      'tool.execute.before': [{ ...command, required: true }],
      'tool.execute.after': [command],
    };
    await writeFile(path.join(fixture.home, '.holt', 'config.json'), JSON.stringify({ hooks }));
    const host = await open(fixture, {});
    expect((await host.call('mcp__e__echo', { text: 'hi' })).text).toBe('hi seen and changed');
    await expect(host.call('mcp__e__echo', { text: 'stop' })).rejects.toMatchObject({
      code: 'call-denied',
      message: expect.stringContaining('a command says no'),
    });
  });
});

describe.each(['stateful', 'stateless'])('resources of a %s server', (era) => {
  test('are listed, read and watched until the last listener is removed', async () => {
    await using fixture = await openHostFixture();
    const host = await fixture.open({ ...allowed, servers: { r: fixture.program('has-resources', era) } });
    expect(await host.resources()).toEqual([
      { server: 'r', uri: 'memo://one', name: 'one', mimeType: 'text/plain' },
    ]);
    expect(await host.resourceTemplates({ server: 'r' })).toEqual([
      { server: 'r', uriTemplate: 'memo://{name}', name: 'memos' },
    ]);
    expect(await host.readResource('r', 'memo://one')).toMatchObject({ contents: [{ text: 'version 0' }] });
    const updated = nextEvent(host, 'mcp.resource.updated');
    const stop = await host.subscribe('r', 'memo://one');
    const other = await host.subscribe('r', 'memo://one');
    await host.call('mcp__r__touch');
    expect(await updated).toMatchObject({ server: 'r', uri: 'memo://one' });
    await stop();
    expect((await host.call('mcp__r__followers')).text).toBe('1');
    await other();
    expect((await host.call('mcp__r__followers')).text).toBe('0');
    expect(await host.prompts()).toEqual([
      { server: 'r', name: 'greet', arguments: [{ name: 'who', required: true }] },
    ]);
    expect(await host.prompt('r', 'greet', { who: 'Ada' })).toMatchObject({
      messages: [{ content: { text: 'Greet Ada' } }],
    });
    expect(
      await host.complete('r', { type: 'ref/prompt', name: 'greet' }, { name: 'who', value: 'A' }),
    ).toEqual({ values: ['Ada', 'Alan'], total: 2 });
    expect(
      await host.complete(
        'r',
        { type: 'ref/prompt', name: 'greet' },
        { name: 'who', value: '' },
        { arguments: { team: 'blue' } },
      ),
    ).toEqual({ values: ['one of blue'] });
    await expect(host.readResource('r', 'memo://none')).rejects.toMatchObject({ code: 'request-failed' });
    await expect(host.readResource('nobody', 'memo://none')).rejects.toMatchObject({
      code: 'server-not-found',
    });
  });
});

test('an abort error names the operation and the server, also before the server has started', async () => {
  await using fixture = await openHostFixture();
  const servers = { r: fixture.program('has-resources', 'stateless'), other: fixture.program('echo') };
  const host = await fixture.open({ ...allowed, servers });
  const signal = AbortSignal.abort();
  const told = async (work: Promise<unknown>): Promise<unknown> =>
    work.catch((error: unknown) => HoltError.is(error, 'call-aborted') && [error.message, error.details]);
  expect(await told(host.call('mcp__r__touch', {}, { signal }))).toEqual([
    'The call of touch was cancelled',
    { server: 'r', tool: 'touch' },
  ]);
  expect(await told(host.readResource('r', 'memo://one', { signal }))).toEqual([
    'Reading memo://one was cancelled',
    { server: 'r', tool: 'memo://one' },
  ]);
  expect(await told(host.prompt('r', 'greet', { who: 'Ada' }, { signal }))).toEqual([
    'Getting the prompt greet was cancelled',
    { server: 'r', tool: 'greet' },
  ]);
});

describe('tools of holt’s own', () => {
  test('resources are listed and read, under their own rules', async () => {
    await using fixture = await openHostFixture();
    const servers = { r: fixture.program('has-resources', 'stateless') };
    const host = await fixture.open({ servers, policy: { default: 'allow', deny: ['holt__mcp_auth'] } });
    expect((await runBuiltInTool(host, 'list_mcp_resources', {})).text).toBe('r: one <memo://one>');
    expect((await runBuiltInTool(host, 'read_mcp_resource', { server: 'r', uri: 'memo://one' })).text).toBe(
      'version 0',
    );
    await expect(runBuiltInTool(host, 'mcp_auth', { server: 'r' })).rejects.toMatchObject({
      code: 'call-denied',
    });
    await expect(runBuiltInTool(host, 'read_mcp_resource', {})).rejects.toMatchObject({
      code: 'arguments-invalid',
    });
    const asking = await fixture.open({ servers });
    await expect(runBuiltInTool(asking, 'mcp_auth', { server: 'r' })).rejects.toMatchObject({
      code: 'call-denied',
      details: { decision: 'ask' },
    });
  });

  test('the resource tools are offered while a server has resources, the login tool while one waits for a login', async () => {
    await using fixture = await openHostFixture();
    await using guarded = await serveHttp((_request, response) => void response.writeHead(401).end());
    const servers = {
      plain: fixture.program('named-tools', 'add'),
      r: fixture.program('has-resources', 'stateless'),
      web: { url: `${guarded.url}/mcp` },
    };
    const someone: Interaction = { askPermission: async () => 'once', openUrl: async () => true };
    const policy = { allow: ['holt__list_mcp_resources', 'holt__read_mcp_resource'] };
    const alone = await fixture.open({ servers, policy });
    const attended = await fixture.open({ servers, interaction: someone });
    const names = async (host: Host): Promise<readonly string[]> =>
      (await offeredBuiltInTools(host)).map(({ name }) => name);
    expect([await names(alone), await names(attended)]).toEqual([[], []]);

    await Promise.all([alone.connect('plain'), attended.connect('plain')]);
    expect([await names(alone), await names(attended)]).toEqual([[], []]);

    const reading = ['list_mcp_resources', 'read_mcp_resource'];
    await Promise.all([alone.connect(), attended.connect()]);
    expect(await names(alone)).toEqual(reading);
    expect(await names(attended)).toEqual([...reading, 'mcp_auth']);
    await attended.remove('web');
    await attended.disconnect('r');
    expect(await names(attended)).toEqual([]);
  });

  test('a tool that needs a permission is offered to a model only when there is a permission handler', async () => {
    await using fixture = await openHostFixture();
    const servers = { e: fixture.program('echo') };
    const policy = { allow: ['mcp__e__pid'] };
    const alone = await fixture.open({ servers, policy });
    const attended = await fixture.open({
      servers,
      policy,
      interaction: { askPermission: async () => 'once' },
    });
    const offeredBy = async (host: Host): Promise<readonly string[]> =>
      (await toAnthropicTools(host, { builtIn: false })).tools.map(({ name }) => name);
    expect(await offeredBy(alone)).toEqual(['mcp__e__pid']);
    expect(await offeredBy(attended)).toEqual(['mcp__e__echo', 'mcp__e__pid', 'mcp__e__environment']);
    expect((await alone.tools()).map(({ name, decision }) => [name, decision])).toEqual([
      ['mcp__e__echo', 'ask'],
      ['mcp__e__pid', 'allow'],
      ['mcp__e__environment', 'ask'],
    ]);
    const found = async (host: Host): Promise<unknown> =>
      (await runSearchTool(host, 'search_tools', { query: 'echo' })).structured;
    expect(await found(alone)).toEqual({ tools: [] });
    expect(await found(attended)).toMatchObject({ tools: [{ name: 'mcp__e__echo' }] });
  });

  test('search mode finds, describes and calls, and denied tools are not there', async () => {
    await using fixture = await openHostFixture();
    const host = await fixture.open({
      servers: { e: fixture.program('echo') },
      policy: { default: 'allow', deny: ['mcp__e__pid'] },
    });
    expect((await runSearchTool(host, 'search_tools', { query: 'echo' })).structured).toMatchObject({
      tools: [{ name: 'mcp__e__echo' }],
    });
    expect((await runSearchTool(host, 'search_tools', { query: 'pid' })).text).not.toContain('mcp__e__pid');
    expect((await runSearchTool(host, 'describe_tool', { name: 'mcp__e__echo' })).structured).toMatchObject({
      inputSchema: { properties: { text: { type: 'string' } } },
    });
    await expect(runSearchTool(host, 'describe_tool', { name: 'mcp__e__pid' })).rejects.toMatchObject({
      code: 'tool-not-found',
    });
    const args = { name: 'mcp__e__echo', arguments: { text: 'hi' } };
    expect((await runSearchTool(host, 'call_tool', args)).text).toBe('hi');
    await expect(runSearchTool(host, 'call_tool', { name: 'mcp__e__pid' })).rejects.toMatchObject({
      code: 'call-denied',
    });
  });
});
