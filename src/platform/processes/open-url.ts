/**
 * Opens a page in the user's browser. The URL is a single argument of a program, never part of a shell
 * command. Only `http:` and `https:` are allowed.
 */

import { spawn } from 'node:child_process';
import { win32 } from 'node:path';

import type { OperatingSystem } from '../../kernel/machine.ts';
import { findProgram } from './find-program.ts';
import { runVariable } from './trees/process-facts.ts';

export interface Desktop {
  readonly os: OperatingSystem;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A browser that still runs after this time has opened the page. */
const openedAfterMs = 2000;
/** Systems refuse to start a program with a much longer argument. */
const longestUrl = 32 << 10;

/** False over SSH and without a display, unless the user set BROWSER to a program that exists. */
export function hasBrowser(desktop: Desktop): boolean {
  if (namedBrowsers(desktop, '').length > 0) return true;
  const { os, env } = desktop;
  if ([env['SSH_CONNECTION'], env['SSH_CLIENT'], env['SSH_TTY']].some(isSet)) return false;
  if (os !== 'linux') return true;
  return isSet(env['DISPLAY']) || isSet(env['WAYLAND_DISPLAY']) || isWsl(desktop);
}

/** Resolves to true when a browser accepted the URL. Never rejects. */
export async function openUrl(text: string, desktop: Desktop): Promise<boolean> {
  const url = readWebAddress(text);
  if (url === undefined || !hasBrowser(desktop)) return false;
  for (const opener of openersFor(url, desktop)) {
    if (await runs(opener, desktop)) return true;
  }
  return false;
}

/** Returns the URL as it will be opened, or undefined when it is not a valid web address. */
function readWebAddress(text: string): string | undefined {
  // URL parsing changes these silently, so the opened URL would differ from the one shown.
  if (text.length > longestUrl || /[\s\p{Cc}\\]/u.test(text) || !URL.canParse(text)) return undefined;
  const { protocol, username, password, href } = new URL(text);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return isWeb && username === '' && password === '' ? href : undefined;
}

interface Opener {
  readonly program: string;
  readonly args: readonly string[];
}

function openersFor(url: string, desktop: Desktop): readonly Opener[] {
  const { os, env } = desktop;
  if (os === 'windows') {
    const root = env['SystemRoot'] ?? env['SYSTEMROOT'] ?? String.raw`C:\Windows`;
    return [
      { program: win32.join(root, 'System32', 'rundll32.exe'), args: ['url.dll,FileProtocolHandler', url] },
    ];
  }
  const named = namedBrowsers(desktop, url);
  if (os === 'macos') return [...named, { program: '/usr/bin/open', args: [url] }];
  const usual = isWsl(desktop) ? ['wslview', 'xdg-open'] : ['xdg-open'];
  return [...named, ...usual.flatMap((name) => found(name, [url], desktop))];
}

/** BROWSER is a list of commands; `%s` in a command is replaced with the URL. */
function namedBrowsers(desktop: Desktop, url: string): readonly Opener[] {
  if (desktop.os === 'windows') return [];
  return (desktop.env['BROWSER'] ?? '').split(':').flatMap((line) => {
    const [name = '', ...args] = line.split(' ').filter((word) => word !== '');
    const placed = args.includes('%s') ? args.map((word) => (word === '%s' ? url : word)) : [...args, url];
    return found(name, placed, desktop);
  });
}

function found(name: string, args: readonly string[], { os, env }: Desktop): readonly Opener[] {
  const program = findProgram(name, { os, env, cwd: '/' });
  return program === undefined ? [] : [{ program, args }];
}

function isWsl({ env }: Desktop): boolean {
  return isSet(env['WSL_DISTRO_NAME']);
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

function runs({ program, args }: Opener, { env }: Desktop): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      // The browser belongs to the user. Without this, a holt that runs this one as a server would end it
      // too.
      env: { ...env, [runVariable]: undefined },
      shell: false,
      stdio: 'ignore',
      detached: true,
      windowsHide: true,
    });
    const timer = setTimeout(() => resolve(true), openedAfterMs);
    const settle = (took: boolean): void => {
      clearTimeout(timer);
      resolve(took);
    };
    child.once('error', () => settle(false));
    child.once('exit', (code) => settle(code === 0));
    child.unref();
  });
}
