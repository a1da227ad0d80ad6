import { describe, expect, test } from 'vitest';

import { makeMachine, memoryFiles } from '../../tests/support/agent-machine.ts';
import { alwaysSaying, projectProgram, projectRemote } from '../../tests/support/sample-servers.ts';
import type { TrustQuestion } from '../kernel/interaction.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { describeForConsent } from './consent-question.ts';

const machine = makeMachine();
const ask = (definition: ServerDefinition): TrustQuestion =>
  describeForConsent(definition, 'untrusted', {
    machine,
    files: memoryFiles(machine, {}),
    approvals: alwaysSaying('untrusted'),
    records: [],
    resolveProgram: (command, cwd) =>
      command === 'node'
        ? '/usr/bin/node'
        : command.startsWith('./')
          ? `${cwd}/${command.slice(2)}`
          : undefined,
  });

describe('the destination of values', () => {
  test.each([
    ['https://shop.test/mcp?k=${KEY}', 'https://shop.test'],
    ['https://user:pw@shop.test:8443/', 'https://shop.test:8443'],
    ['https://evil.test\\@good.test/', 'https://evil.test'],
    ['https:evil.test/@good.test', 'https://evil.test'],
    ['https://good.test@evil.test/', 'https://evil.test'],
    ['https://pаypal.test/', 'https://xn--pypal-4ve.test'],
    ['HTTPS://SHOP.test', 'https://shop.test'],
    ['https://①②⑦.0.0.1/', 'https://127.0.0.1'],
    ['https://${HOST}/', 'a place that its URL does not show'],
    ['nonsense', 'a place that its URL does not show'],
  ])('%s goes to %s', (url, destination) => {
    expect(ask(projectRemote(url)).destination).toBe(destination);
  });

  test('of a stdio server is undefined', () => {
    expect(ask(projectProgram('node')).destination).toBeUndefined();
  });
});

describe('the question shows', () => {
  test('T19: every variable that would be sent, each once', () => {
    const definition = projectRemote('https://x.test/?k=${B}', {
      headers: { A: '${A} ${B}' },
      headersFrom: { C: { variable: 'C', prefix: '', suffix: '' } },
    });
    expect(ask(definition).variables).toEqual(['A', 'B', 'C']);
    expect(ask(projectProgram('x', ['${A}'], { inheritEnv: ['Z', 'A'] })).variables).toEqual(['A', 'Z']);
  });

  test('T16: the commands, files and inputs that provide values', () => {
    expect(ask(projectProgram('x', [], { env: { T: '!pass show t' } })).commands).toEqual(['pass show t']);
    expect(ask(projectRemote('https://x.test', { headersHelper: 'get-headers' })).commands).toEqual([
      'get-headers',
    ]);
    expect(ask(projectProgram('x', ['{file:~/.ssh/id}'], {}, { dialect: 'opencode' })).files).toEqual([
      '~/.ssh/id',
    ]);
    expect(ask(projectProgram('x', ['${input:k}'], {}, { dialect: 'vscode' })).inputs).toEqual(['k']);
  });

  test('the path of the program that would start', () => {
    expect(ask(projectProgram('node')).program).toBe('/usr/bin/node');
    expect(ask(projectProgram('./run', [], { cwd: 'sub' })).program).toBe('/srv/shop/sub/run');
    expect(ask(projectProgram('${X}')).program).toBeUndefined();
  });

  test('masked secrets, but every plain word: a package could be named like a token', () => {
    const token = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
    const { definition } = ask(
      projectProgram('npx', ['-y', token, '--token', 'hunter22', `--key=${token}`, `https://u:pw@x.test/`], {
        env: { API_KEY: 'hunter22' },
      }),
    );
    expect([definition.args, definition.env]).toEqual([
      ['-y', token, '--token', '***', '--key=***', 'https://***@x.test/'],
      { API_KEY: '***' },
    ]);
  });
});
