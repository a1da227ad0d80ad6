/** T114: where the user's own servers start, with real programs that load code from the folder they start in. */

import { access, chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import type { Host, HostOptions } from '../../src/host/host.ts';
import { openHost } from '../../src/host/library-host.ts';
import type { FolderQuestion } from '../../src/kernel/interaction.ts';
import { createSandbox, packageRoot, type Sandbox } from '../support/holt-command.ts';
import { serverFolder } from '../support/stdio-fixture.ts';
import { runInTerminal } from '../support/terminal.ts';

const teller = path.join(serverFolder, 'reports-cwd.mjs');
const tellsItsFolder = (...args: readonly string[]): object => ({
  command: process.execPath,
  args: [teller, ...args],
});

/** A home with these servers of the user's, and an empty project. */
async function homeWith(servers: Readonly<Record<string, object>>): Promise<Sandbox> {
  const sandbox = await createSandbox();
  await sandbox.write('~/.holt/mcp.json', JSON.stringify({ mcpServers: servers }));
  return sandbox;
}

function open({ home, project }: Sandbox, options: HostOptions = {}): Promise<Host> {
  const env = { PATH: process.env['PATH'], HOME: home, PWD: project };
  return openHost({ cwd: project, home, env, ...options });
}

const folderOf = async (host: Host, server = 'mine', tool = 'folder'): Promise<string> =>
  (await host.call(`mcp__${server}__${tool}`, {}, { asked: true })).text;

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

describe('T114: an untrusted folder does not choose the code of a user’s server that starts through', () => {
  /** Each loads code of the project when it starts there; that code leaves a trace. */
  const attacks: Readonly<Record<string, (sandbox: Sandbox) => Promise<object>>> = {
    'tsx and tsconfig.json': async (sandbox) => {
      await sandbox.write(
        './tsconfig.json',
        JSON.stringify({ compilerOptions: { paths: { 'my-lib': ['./evil.ts'] } } }),
      );
      await sandbox.write('./evil.ts', trace(sandbox));
      await sandbox.write('~/node_modules/my-lib/package.json', '{"name":"my-lib","main":"index.js"}');
      await sandbox.write('~/node_modules/my-lib/index.js', '');
      const server = await sandbox.write(
        '~/srv.ts',
        `import 'my-lib';\nvoid import(${JSON.stringify(teller)});\n`,
      );
      const tsx = path.join(packageRoot, 'node_modules', 'tsx', 'dist', 'cli.mjs');
      return { command: process.execPath, args: [tsx, server] };
    },
    'flock and node_modules/.bin': async (sandbox) => {
      await localBin(sandbox);
      return { command: 'flock', args: [sandbox.place('~/lock'), ...npx] };
    },
    'a bridge that is given a command line': async (sandbox) => {
      await localBin(sandbox);
      const bridge = await sandbox.write('~/bin/supergateway', '#!/bin/sh\nexec sh -c "$2"\n');
      await chmod(bridge, 0o755);
      return { command: bridge, args: ['--stdio', npx.join(' ')] };
    },
  };
  const npx = ['npx', '--offline', '--yes', 'my-server'];

  function trace(sandbox: Sandbox): string {
    return `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(sandbox.place('~/trace'))}, '');\n`;
  }

  async function localBin(sandbox: Sandbox): Promise<void> {
    await sandbox.write('./package.json', '{"name":"shop"}');
    const bin = await sandbox.write(
      './node_modules/.bin/my-server',
      `#!/bin/sh\ntouch ${sandbox.place('~/trace')}\nexec ${process.execPath} ${teller}\n`,
    );
    await chmod(bin, 0o755);
  }

  test.each(Object.keys(attacks))('%s', { timeout: 60_000 }, async (name) => {
    await using sandbox = await homeWith({});
    const entry = await attacks[name]?.(sandbox);
    await sandbox.write('~/.holt/mcp.json', JSON.stringify({ mcpServers: { mine: entry } }));
    {
      await using host = await open(sandbox);
      await host.connect('mine');
      expect(await exists(sandbox.place('~/trace'))).toBe(false);
    }
    // The same in a trusted folder: the attack works there, so the test would notice it.
    expect((await sandbox.holt('trust', '--folder')).code).toBe(0);
    await using host = await open(sandbox);
    await host.connect('mine');
    expect(await exists(sandbox.place('~/trace'))).toBe(true);
  });
});

describe('T114: a user’s server', () => {
  test('starts in the home folder, and in the project once the folder is trusted', async () => {
    await using sandbox = await homeWith({ mine: tellsItsFolder() });
    {
      await using host = await open(sandbox);
      expect([await folderOf(host), await folderOf(host, 'mine', 'variable')]).toEqual([
        sandbox.home,
        sandbox.home,
      ]);
      expect(host.report()['mine']?.startIn).toEqual({ folder: sandbox.home, why: 'untrusted' });
    }
    await sandbox.holt('trust', '--folder');
    await using host = await open(sandbox);
    expect(await folderOf(host)).toBe(sandbox.project);
    expect(host.report()['mine']?.startIn).toEqual({ folder: sandbox.project, why: 'trusted' });
  });

  test('moves to the project while the host runs, when the folder becomes trusted', async () => {
    await using sandbox = await homeWith({ mine: tellsItsFolder(), fs: tellsItsFolder('.') });
    await using host = await open(sandbox);
    expect(await folderOf(host)).toBe(sandbox.home);
    expect(await host.connect('fs')).toEqual({ status: 'untrusted', reason: 'folder' });
    await sandbox.holt('trust', '--folder');
    await host.reload();
    expect([await folderOf(host), await folderOf(host, 'fs')]).toEqual([sandbox.project, sandbox.project]);
    await sandbox.holt('trust', '--revoke', '--folder');
    await host.reload();
    expect(await folderOf(host)).toBe(sandbox.home);
  });

  test('is not refused because a file in the project is named like an argument', async () => {
    await using sandbox = await homeWith({ mine: tellsItsFolder('data') });
    await sandbox.write('./data', 'x');
    await using host = await open(sandbox);
    expect(await folderOf(host)).toBe(sandbox.home);
  });

  test('is not started with a relative path, and says what to do', async () => {
    await using sandbox = await homeWith({ fs: tellsItsFolder('--root', '.') });
    await using host = await open(sandbox);
    expect(await host.connect('fs')).toEqual({ status: 'untrusted', reason: 'folder' });
    await expect(host.call('mcp__fs__folder', {}, { asked: true })).rejects.toMatchObject({
      code: 'trust-required',
      details: { server: 'fs', reason: 'folder' },
      message: expect.stringContaining('argument 3 names a place in the project'),
      remedy:
        'Its argument 3 names a place in this folder, which is not trusted. Trust the folder with holt trust --folder, or use an absolute path.',
    });
    const { code, stdout } = await sandbox.holt('status', 'fs');
    expect([code, stdout]).toEqual([4, expect.stringContaining('holt trust --folder')]);
  });

  test('is not started with a relative path that only a placeholder brings', async () => {
    await using sandbox = await homeWith({ fs: tellsItsFolder('${ROOT:-.}') });
    await using host = await open(sandbox);
    expect(await host.connect('fs')).toEqual({ status: 'untrusted', reason: 'folder' });
  });

  test('is not started in the project by a variable that names it through a link', async () => {
    await using sandbox = await homeWith({ mine: { ...tellsItsFolder(), cwd: '${PWD}' } });
    const link = path.join(path.dirname(sandbox.project), 'link');
    await symlink(sandbox.project, link);
    await using host = await open({ ...sandbox, project: link });
    expect(await host.connect('mine')).toEqual({ status: 'untrusted', reason: 'folder' });
    await sandbox.holt('trust', '--folder');
    expect(await host.connect('mine')).toEqual({ status: 'connected' });
    expect(await folderOf(host)).toBe(sandbox.project);
  });

  test('is known to the trusted folder by its real path, not by a link to it', async () => {
    await using sandbox = await homeWith({ mine: tellsItsFolder() });
    await sandbox.holt('trust', '--folder');
    const link = path.join(path.dirname(sandbox.project), 'link');
    await symlink(sandbox.project, link);
    const copy = path.join(path.dirname(sandbox.project), 'copy');
    await mkdir(path.join(copy, '.git'), { recursive: true });
    const starts = async (cwd: string): Promise<string> => {
      await using host = await open({ ...sandbox, project: cwd });
      await host.connect('mine');
      return host.report()['mine']?.startIn?.why ?? '';
    };
    expect([await starts(link), await starts(copy)]).toEqual(['trusted', 'untrusted']);
  });

  test('starts where the user’s own words say, and never where a project’s file says', async () => {
    await using sandbox = await homeWith({
      one: { ...tellsItsFolder(), startIn: 'project' },
      two: tellsItsFolder(),
      three: tellsItsFolder(),
    });
    expect((await sandbox.holt('config', 'set', 'startIn.two', 'project')).code).toBe(0);
    await sandbox.write('./.holt/config.json', '{"startIn":{"three":"project"}}');
    await using host = await open(sandbox);
    expect([await folderOf(host, 'one'), await folderOf(host, 'two'), await folderOf(host, 'three')]).toEqual(
      [sandbox.project, sandbox.project, sandbox.home],
    );
  });

  test('starts in the project for an agent that the user trusts there', async () => {
    await using sandbox = await homeWith({ mine: tellsItsFolder() });
    const projects = { [sandbox.project]: { hasTrustDialogAccepted: true } };
    await sandbox.write('~/.claude.json', JSON.stringify({ projects }));
    await sandbox.write('./.mcp.json', JSON.stringify({ mcpServers: { theirs: tellsItsFolder() } }));
    await using host = await open(sandbox, { client: 'claude-code' });
    expect(await folderOf(host)).toBe(sandbox.project);
    expect(host.report()['mine']?.startIn).toEqual({ folder: sandbox.project, why: 'agent' });
    expect(await host.connect('theirs')).toEqual({ status: 'untrusted' });
    await using named = await open(sandbox, { client: 'Claude' });
    expect(await folderOf(named)).toBe(sandbox.project);
    await using other = await open(sandbox, { client: 'codex' });
    expect(await folderOf(other)).toBe(sandbox.home);
  });

  test('does not make an entry of the project run by a trusted folder', async () => {
    await using sandbox = await createSandbox();
    await sandbox.write('./.mcp.json', JSON.stringify({ mcpServers: { theirs: tellsItsFolder() } }));
    await sandbox.holt('trust', '--folder');
    await using host = await open(sandbox);
    expect(await host.connect('theirs')).toEqual({ status: 'untrusted' });
  });

  test('is offered the project as a root wherever it starts', async () => {
    await using sandbox = await homeWith({
      mine: { command: process.execPath, args: [path.join(serverFolder, 'asks-questions.mjs')] },
    });
    await using host = await open(sandbox);
    await host.connect('mine');
    const { text } = await host.call('mcp__mine__ask', { method: 'roots/list' }, { asked: true });
    expect(text).toContain(sandbox.project);
  });
});

describe('T114: the question about the folder', () => {
  const asking = (
    answers: readonly ('trust' | 'decline' | 'undecided')[],
  ): {
    readonly questions: FolderQuestion[];
    readonly confirmFolder: (question: FolderQuestion) => Promise<'trust' | 'decline' | 'undecided'>;
  } => {
    const questions: FolderQuestion[] = [];
    const left = [...answers];
    return {
      questions,
      confirmFolder: async (question) => {
        questions.push(question);
        return left.shift() ?? 'undecided';
      },
    };
  };

  test('is asked once for all servers of the user, and approval starts them in the project', async () => {
    await using sandbox = await homeWith({ mine: tellsItsFolder(), fs: tellsItsFolder('.') });
    const { questions, confirmFolder } = asking(['trust']);
    await using host = await open(sandbox, { interaction: { confirmFolder } });
    expect(await Promise.all([host.connect('mine'), host.connect('fs')])).toEqual([
      { status: 'connected' },
      { status: 'connected' },
    ]);
    expect([await folderOf(host), await folderOf(host, 'fs')]).toEqual([sandbox.project, sandbox.project]);
    expect(questions).toEqual([
      { folder: sandbox.project, homeFolder: sandbox.home, server: expect.any(String) },
    ]);
    expect(host.report()['mine']?.startIn?.why).toBe('trusted');
  });

  test('is not asked again after a refusal', async () => {
    await using sandbox = await homeWith({ mine: tellsItsFolder() });
    const { questions, confirmFolder } = asking(['decline']);
    for (let times = 0; times < 2; times += 1) {
      await using host = await open(sandbox, { interaction: { confirmFolder } });
      await host.connect('mine');
      expect(await folderOf(host)).toBe(sandbox.home);
    }
    expect(questions).toHaveLength(1);
  });

  test('is asked at the first start at a terminal, and Enter means no', async () => {
    await using sandbox = await homeWith({ mine: tellsItsFolder() });
    const run = runInTerminal(sandbox, ['status', 'mine']);
    await run.waitFor('Trust this folder and start your servers in it? [y/N]: ');
    run.type('\r');
    await run.exited;
    expect(run.shown()).toContain('started in your home folder, because this folder is not trusted');
    const again = runInTerminal(sandbox, ['status', 'mine']);
    await again.exited;
    expect(again.shown()).not.toContain('[y/N]');
  });

  test('is asked by a call at a terminal, which continues in the project after approval', async () => {
    await using sandbox = await homeWith({ fs: tellsItsFolder('.') });
    const run = runInTerminal(sandbox, ['call', 'fs.folder']);
    await run.waitFor('Trust this folder and start your servers in it? [y/N]: ');
    run.type('y\r');
    expect(await run.exited).toBe(0);
    expect(run.shown()).toContain(`\n${sandbox.project}`);
  });

  test('is not asked by a list of all tools, nor where the person does not wait for a server', async () => {
    await using sandbox = await homeWith({ mine: tellsItsFolder() });
    const run = runInTerminal(sandbox, ['tools']);
    expect(await run.exited).toBe(0);
    expect(run.shown()).not.toContain('[y/N]');
  });

  test('is a hint in a session, where /trust --folder moves the servers', async () => {
    await using sandbox = await homeWith({ mine: tellsItsFolder() });
    const run = runInTerminal(sandbox, ['repl']);
    await run.waitFor('1/1 connected>');
    await run.waitFor('/trust --folder starts them here.');
    run.type('mine.folder\r');
    await run.waitFor(`  ${sandbox.home}`);
    run.type('/trust --folder\r');
    await run.waitFor(`${sandbox.project} is trusted:`);
    await expect
      .poll(() => {
        run.type('mine.folder\r');
        return run.shown();
      })
      .toContain(`  ${sandbox.project}\r\n`);
    run.type('/quit\r');
    expect(await run.exited).toBe(0);
  });

  test('is part of the consent question', async () => {
    await using sandbox = await homeWith({ mine: tellsItsFolder() });
    await sandbox.write('./.mcp.json', JSON.stringify({ mcpServers: { theirs: tellsItsFolder() } }));
    const run = runInTerminal(sandbox, ['trust', 'theirs']);
    await run.waitFor('[y/N/d]: ');
    expect(run.shown()).toContain(`yes, and trust ${sandbox.project}`);
    run.type('f\r');
    await run.exited;
    const { folder, entries } = await sandbox.json<{ folder: object; entries: readonly object[] }>(
      'trust',
      '--list',
    );
    expect([folder, entries]).toEqual([
      { path: sandbox.project, trusted: true },
      [expect.objectContaining({ name: 'theirs', state: 'approved' })],
    ]);
  });
});

describe('T114: the commands', () => {
  test('get, status and doctor show where servers start and why', async () => {
    await using sandbox = await homeWith({ mine: tellsItsFolder(), fs: tellsItsFolder('.') });
    const get = await sandbox.json<{ server: { startIn: object } }>('get', 'mine');
    expect(get.server.startIn).toEqual({ folder: sandbox.home, why: 'untrusted' });
    const { stdout } = await sandbox.holt('status');
    expect(stdout.match(/started in your home folder, because this folder is not trusted/g)).toHaveLength(1);
    const { problems } = await sandbox.json<{ problems: readonly { code: string; message: string }[] }>(
      'doctor',
    );
    expect(problems.filter(({ code }) => code === 'folder-untrusted')).toHaveLength(2);
    expect((await sandbox.holt()).stdout).toMatch(/waiting for a trusted folder \(1\)\n {2}fs /);
    await sandbox.holt('trust', '--folder');
    expect((await sandbox.holt()).stdout).not.toContain('waiting for a trusted folder');
    const after = await sandbox.json<{ server: { startIn: object } }>('get', 'mine');
    expect(after.server.startIn).toEqual({ folder: sandbox.project, why: 'trusted' });
    expect((await sandbox.holt('status')).stdout).not.toContain('started in your home folder');
  });

  test('holt trust --folder is for a project, takes no name, and can be revoked', async () => {
    await using sandbox = await createSandbox();
    expect((await sandbox.holt('trust', '--folder', 'x')).code).toBe(2);
    expect((await sandbox.holt('trust', '--folder', '--cwd', sandbox.home)).code).toBe(2);
    expect((await sandbox.holt('trust', '--revoke')).code).toBe(2);
    expect(await sandbox.json('trust', '--folder')).toMatchObject({ folder: { trusted: true } });
    expect(await sandbox.json('trust', '--revoke', '--folder')).toMatchObject({ folder: { trusted: false } });
  });

  test('holt add --start-in writes the choice into the user’s own entry, or beside another agent’s', async () => {
    await using sandbox = await createSandbox();
    const command = ['--', process.execPath, teller];
    const own = await sandbox.holt('add', 'one', '--user', '--start-in', 'project', '--yes', ...command);
    const options = ['--user', '--agent', 'cursor', '--start-in', 'project', '--yes'];
    const others = await sandbox.holt('add', 'two', ...options, ...command);
    expect([own.code, others.code, others.stderr]).toEqual([0, 0, '']);
    const startIn = async (name: string): Promise<object> =>
      (await sandbox.json<{ server: { startIn: object } }>('get', name)).server.startIn;
    expect([await startIn('one'), await startIn('two')]).toEqual([
      { folder: sandbox.project, why: 'setting' },
      { folder: sandbox.project, why: 'setting' },
    ]);
    const project = await sandbox.holt('add', 'three', '--start-in', 'home', '--yes', ...command);
    expect([project.code, project.stderr]).toEqual([2, expect.stringContaining('--scope user')]);
    const wrong = await sandbox.holt('add', 'four', '--user', '--start-in', 'x', '--yes', ...command);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('home, project')]);
  });

  test('a damaged or widely writable list of folders trusts none', async () => {
    await using sandbox = await homeWith({ mine: tellsItsFolder() });
    await sandbox.holt('trust', '--folder');
    const file = sandbox.place('~/.holt/trust.json');
    await chmod(file, 0o666);
    const loose = await sandbox.json<{ server: { startIn: { why: string } } }>('get', 'mine');
    await chmod(file, 0o600);
    await writeFile(file, '{"version":1,"entries":[],"folders":"all"}');
    const damaged = await sandbox.json<{ server: { startIn: { why: string } } }>('get', 'mine');
    expect([loose.server.startIn.why, damaged.server.startIn.why]).toEqual(['untrusted', 'untrusted']);
  });
});
