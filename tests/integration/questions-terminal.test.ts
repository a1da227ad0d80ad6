/** Questions at a real terminal: logins, forms and permissions, as the command line asks them. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { describe, expect, test } from 'vitest';

import type { QuestionerTask } from '../fixtures/programs/questioner.ts';
import { commandFor } from '../fixtures/programs/start-program.ts';
import { openPty } from '../support/terminal.ts';

interface Asked {
  readonly code: number;
  /** What was on the screen, without what moves the cursor. */
  readonly screen: string;
}

/** Types each answer when the screen shows what it is the answer to. */
async function ask(
  task: QuestionerTask,
  answers: readonly (readonly [when: string, keys: string])[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Asked> {
  const options = {
    cols: 120,
    rows: 60,
    env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm', USER: 'ada', ...env },
  };
  let shown = '';
  let seen = 0;
  const left = [...answers];
  const { exited } = openPty(commandFor('questioner', task), options, (data, { type }) => {
    shown += data;
    const [next] = left;
    if (next === undefined || !shown.slice(seen).includes(next[0])) return;
    seen = shown.length;
    left.shift();
    type(next[1]);
  });
  const code = await exited;
  return { code, screen: shown.replaceAll('\r\n', '\n').replaceAll(/\u001b\[[\d;]*[A-Z]/g, '') };
}

const login = {
  server: 'secured',
  authorizationUrl: 'https://issuer.example/authorize?state=s',
  redirectUri: 'http://127.0.0.1:19876/mcp/oauth/callback',
};
const prompt = 'Waiting. You can also paste the final URL, or the code: ';
const overSsh = { SSH_CONNECTION: '198.51.100.4 51324 192.0.2.7 2222' };

describe.concurrent('a login without a browser', () => {
  test('shows the address and the line for a tunnel, and takes a pasted address', async () => {
    const pasted = `${login.redirectUri}?code=${'c'.repeat(3000)}&state=s`;
    const { code, screen } = await ask({ kind: 'callback', login }, [[prompt, `${pasted}\r`]], overSsh);
    expect(screen.split('\n').slice(0, 4)).toEqual([
      'To log in to "secured", open this in a browser:',
      '  https://issuer.example/authorize?state=s',
      'If that browser runs on another machine, first run this there:',
      '  ssh -L 19876:127.0.0.1:19876 -p 2222 ada@192.0.2.7',
    ]);
    expect([code, screen.split('\n').at(-2)]).toEqual([0, `answer: ${JSON.stringify(pasted)}`]);
  });

  test('asks again for what holds no code', async () => {
    const { screen } = await ask({ kind: 'callback', login }, [
      [prompt, '\r'],
      [prompt, 'https://issuer.example/\r'],
      [prompt, ' the-code \r'],
    ]);
    expect(screen.split(prompt)).toHaveLength(4);
    expect(screen).toContain('No code was found in the pasted text.');
    expect(screen.split('\n').at(-2)).toBe('answer: "the-code"');
  });

  test('stops asking when the login completes in the browser', async () => {
    const { code, screen } = await ask({ kind: 'callback', login, comesBack: true });
    expect([code, screen.split('\n').at(-2)]).toEqual([0, 'answer: none']);
  });

  test.each([
    ['Ctrl-C', '\u0003', 130],
    ['the end of the input', '\u0004', 0],
  ])('pastes nothing at %s', async (_what, key, expected) => {
    const { code, screen } = await ask({ kind: 'callback', login }, [[prompt, key]]);
    expect([code, screen.split('\n').at(-2)]).toEqual([expected, 'answer: none']);
  });

  test('shows the address when there is no terminal, and reads nothing', async () => {
    const [command = '', ...args] = commandFor('questioner', { kind: 'callback', login });
    const { stdout } = await promisify(execFile)(command, args, { env: { PATH: process.env['PATH'] } });
    expect(stdout.split('\n')).toEqual([
      'To log in to "secured", open this in a browser:',
      '  https://issuer.example/authorize?state=s',
      'If that browser runs on another machine, first run this there:',
      expect.stringMatching(/^ {2}ssh -L 19876:127\.0\.0\.1:19876 \S+@\S+$/),
      '',
      'answer: none',
      '',
    ]);
  });
});

describe.concurrent('a login on another device', () => {
  const code = {
    server: 'secured',
    url: 'https://issuer.example/device',
    userCode: 'ABCD-1234',
    completeUrl: 'https://issuer.example/device?user_code=ABCD-1234',
    deviceEndpoint: 'https://issuer.example/device/auth',
    tokenEndpoint: 'https://issuer.example/token',
    expiresAt: 0,
  };
  const lines = [
    "Starting OAuth device flow for MCP server 'secured'.",
    '  device endpoint: https://issuer.example/device/auth',
    '  token endpoint:  https://issuer.example/token',
    '',
    'Visit: https://issuer.example/device',
    'Enter code: ABCD-1234',
    '',
  ];

  test('shows address, code and something for a phone to read', async () => {
    const { screen } = await ask({ kind: 'device', code });
    const shown = screen.split('\n');
    expect(shown.slice(0, 7)).toEqual(lines);
    expect(shown.filter((line) => /^[█▀▄ ]{20,}$/.test(line)).length).toBeGreaterThan(10);
  });

  test('leaves the picture out of a pipe', async () => {
    const [command = '', ...args] = commandFor('questioner', { kind: 'device', code });
    const { stdout } = await promisify(execFile)(command, args);
    expect(stdout.split('\n')).toEqual([...lines, '', 'answer: none', '']);
  });
});

describe.concurrent('a server’s question', () => {
  test('by a form is filled in and sent', async () => {
    const requestedSchema = {
      type: 'object',
      properties: { name: { type: 'string' }, sure: { type: 'boolean', default: false } },
      required: ['name'],
    };
    const request = { server: 'shop', mode: 'form', message: 'Who?', requestedSchema } as const;
    const { screen } = await ask({ kind: 'elicit', request }, [
      ['Answer?', 'y\r'],
      ['name (needed): ', 'Ada\r'],
      ['sure (y or n, Enter = false): ', 'y\r'],
      ['Send this to "shop"?', 'y\r'],
    ]);
    expect(screen.split('\n').at(-2)).toBe(
      'answer: {"action":"accept","content":{"name":"Ada","sure":true}}',
    );
  });

  test('is not sent, nor a page opened, by what was typed before that was asked', async () => {
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
    const request = { server: 'shop', mode: 'form', message: 'Who?', requestedSchema } as const;
    const { screen } = await ask({ kind: 'elicit', request }, [
      ['Answer?', 'y\r'],
      ['name (Enter leaves it out): ', 'Ada\ry\r'],
      ['Send this to "shop"?', '\r'],
    ]);
    expect(screen.split('\n').at(-2)).toBe('answer: {"action":"cancel"}');
  });

  test('by a page opens nothing where there is no browser', async () => {
    const request = { server: 'shop', mode: 'url', message: 'Pay', url: 'https://pay.example/' } as const;
    const { screen } = await ask({ kind: 'elicit', request }, [['Open it?', 'y\r']], overSsh);
    expect(screen.split('\n').slice(-4)).toEqual([
      'No browser could be opened here. Open the address yourself.',
      '',
      'answer: {"action":"accept"}',
      '',
    ]);
  });

  test('is cancelled by Ctrl-C immediately', async () => {
    const request = { server: 'shop', mode: 'url', message: 'Pay', url: 'https://pay.example/' } as const;
    const { code, screen } = await ask({ kind: 'elicit', request }, [['Open it?', '\u0003']]);
    expect([code, screen.split('\n').at(-2)]).toEqual([130, 'answer: {"action":"cancel"}']);
  });
});

const question = {
  server: 's',
  tool: 't',
  name: 'mcp__s__t',
  arguments: { a: 1 },
  reason: 'ask by default',
};

test('a question whose caller has ended is removed for the next, and takes none of its input', async () => {
  const request = { server: 'shop', mode: 'form', message: 'Who?', requestedSchema: {} } as const;
  const { screen } = await ask({ kind: 'elicit', request, before: question }, [['Allow it?', 'y\r']]);
  expect(screen.indexOf('Answer?')).toBeLessThan(screen.indexOf('Call t of "s"?'));
  expect(screen.split('\n').at(-2)).toBe('answer: [{"action":"cancel"},"once"]');
});

test('a call is allowed by a plain yes', async () => {
  const { screen } = await ask({ kind: 'permission', question }, [['Allow it?', 'r\r']]);
  expect(screen.split('\n').at(-2)).toBe('answer: "run"');
});
