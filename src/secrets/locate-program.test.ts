import { describe, expect, test } from 'vitest';

import { makeMachine } from '../../tests/support/agent-machine.ts';
import { projectProgram } from '../../tests/support/sample-servers.ts';
import { locateProgram } from './plans/plan-program.ts';

const machine = makeMachine();

describe('a missing program', () => {
  const locate = (command: string): string =>
    locateProgram(projectProgram(command), command, { cwd: '/', env: {}, machine });

  test('is named, with how to install it', () => {
    expect(() => locate('uvx')).toThrow(
      expect.objectContaining({
        code: 'program-missing',
        message: 'Server "shop" cannot start: command not found: uvx',
        details: { server: 'shop', command: 'uvx' },
        remedy: 'It comes with uv: see docs.astral.sh/uv.',
      }),
    );
    expect(() => locate('/opt/NPX.cmd')).toThrow(
      expect.objectContaining({ remedy: 'It comes with Node.js.' }),
    );
    expect(() => locate('__proto__')).toThrow(
      expect.objectContaining({ remedy: 'Install it, or write its full path.' }),
    );
  });
});
