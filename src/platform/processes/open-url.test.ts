import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { hasBrowser, openUrl } from './open-url.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(path.join(os.tmpdir(), 'holt-open-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A browser that writes down how it was started: each argument between marks, so that nothing is lost. */
async function install(name: string, ending = ''): Promise<string> {
  const program = path.join(folder, name);
  await writeFile(
    program,
    `#!/bin/sh\nfor word in "$@"; do printf '<%s>' "$word" >> "${folder}/opened"; done\necho " ${name}" >> "${folder}/opened"\n${ending}\n`,
  );
  await chmod(program, 0o755);
  return program;
}

const opened = async (): Promise<string> => readFile(path.join(folder, 'opened'), 'utf8').catch(() => '');
const linux = (env: Readonly<Record<string, string>> = {}) =>
  ({ os: 'linux', env: { PATH: `${folder}:/usr/bin:/bin`, DISPLAY: ':0', ...env } }) as const;

describe('T32: opening an address', () => {
  test.each([
    'https://issuer.example/authorize?a=1&b=2',
    'https://x.example/$(touch%20p)',
    'https://x.example/$(touch,p)',
    'https://x.example/?q=`id`;id|id&id',
    'https://x.example/?q=%27a%27',
    'https://x.example/%0a%22',
    'http://127.0.0.1:8080/authorize',
    'https://x.example/--help',
    'https://x.example/#-e',
  ])('%s is one argument, byte for byte', async (url) => {
    await install('xdg-open');
    expect(await openUrl(url, linux())).toBe(true);
    expect(await opened()).toBe(`<${url}> xdg-open\n`);
  });

  test('the browser carries no cookie of a server that we may be: it is not to be ended with it', async () => {
    await install('xdg-open', `echo "run \${HOLT_RUN-none}" >> "${folder}/opened"`);
    expect(await openUrl('https://x.example/', linux({ HOLT_RUN: 'aaaa000000000001' }))).toBe(true);
    expect(await opened()).toBe('<https://x.example/> xdg-open\nrun none\n');
  });

  test.each([
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'ms-msdt:/id',
    'a:$(x)?',
    '--help',
    '-e',
    '/etc/passwd',
    String.raw`\\evil\share`,
    'https://x.example/\ny',
    'https://x.example/\u0000',
    ' https://x.example/',
    'https://x.example/ --help',
    String.raw`https:\\x.example`,
    'https://good.example@x.example/',
    'https://',
    'ftp://x.example/',
    `https://x.example/${'a'.repeat(1 << 16)}`,
    '',
  ])('%j starts nothing', async (url) => {
    await install('xdg-open');
    expect(await openUrl(url, linux())).toBe(false);
    expect(await opened()).toBe('');
  });
});

describe('which browser', () => {
  const url = 'https://x.example/';

  test('the one that BROWSER names comes first, with its own words, and the next one when it fails', async () => {
    await install('broken', 'exit 3');
    await install('chosen');
    await install('xdg-open');
    const BROWSER = `${folder}/missing:${folder}/broken --new:chosen --at %s --end`;
    expect(await openUrl(url, linux({ BROWSER }))).toBe(true);
    expect(await opened()).toBe(`<--new><${url}> broken\n<--at><${url}><--end> chosen\n`);
  });

  test('is not there when none can be started', async () => {
    await install('xdg-open', 'exit 4');
    expect(await openUrl(url, linux())).toBe(false);
    expect(await openUrl(url, { os: 'linux', env: { PATH: folder, DISPLAY: ':0', BROWSER: 'none' } })).toBe(
      false,
    );
    const nothing = { os: 'linux', env: { PATH: '/nowhere', DISPLAY: ':0' } } as const;
    expect(await openUrl(url, nothing)).toBe(false);
  });

  test('that goes on running has opened', async () => {
    await install('xdg-open', 'exec sleep 3');
    expect(await openUrl(url, linux())).toBe(true);
  });

  test('is the one of Windows inside WSL', async () => {
    await install('wslview');
    await install('xdg-open');
    const env = { PATH: `${folder}:/bin`, WSL_DISTRO_NAME: 'Ubuntu' };
    expect(await openUrl(url, { os: 'linux', env })).toBe(true);
    expect(await opened()).toBe(`<${url}> wslview\n`);
  });

  test('is never taken from the folder we happen to be in', async () => {
    await install('xdg-open');
    const env = { PATH: `.::${path.relative(process.cwd(), folder)}`, DISPLAY: ':0' };
    expect(await openUrl(url, { os: 'linux', env })).toBe(false);
    expect(await opened()).toBe('');
  });

  test.each([
    ['a desktop', 'linux', { DISPLAY: ':0' }, true],
    ['a desktop without X', 'linux', { WAYLAND_DISPLAY: 'wayland-0' }, true],
    ['WSL', 'linux', { WSL_DISTRO_NAME: 'Ubuntu' }, true],
    ['a container', 'linux', {}, false],
    ['an empty display', 'linux', { DISPLAY: '' }, false],
    ['SSH', 'linux', { DISPLAY: 'localhost:10.0', SSH_CONNECTION: '192.0.2.1 1 192.0.2.7 22' }, false],
    ['SSH to a Mac', 'macos', { SSH_TTY: '/dev/ttys001' }, false],
    ['a Mac', 'macos', {}, true],
    ['Windows', 'windows', {}, true],
    ['a browser named in spite of SSH', 'linux', { SSH_TTY: '/dev/pts/1', BROWSER: '/bin/sh' }, true],
    ['a named browser that is not there', 'linux', { BROWSER: '/nowhere/browser' }, false],
  ] as const)('%s: %#', (_where, system, env, expected) => {
    expect(hasBrowser({ os: system, env: { PATH: '/bin', ...env } })).toBe(expected);
  });
});
