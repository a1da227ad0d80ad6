/** The fuzz run finds what it looks for: known faults, each in a target of its own. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';

import { describe, expect, test, vi } from 'vitest';

const here = import.meta.dirname;
const program = [
  '--import',
  import.meta.resolve('tsx'),
  path.join(here, 'run.ts'),
  '--targets',
  path.join(here, 'planted-targets.ts'),
];

async function fuzz(target: string, ...more: readonly string[]): Promise<readonly [number, string]> {
  const args = [...program, '--only', target, '--seed', 'fixed', '--minutes', '0.01', ...more];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return [code as number, said]; // it is not killed by a signal
}

/** A fault that ends its process takes a process for each try to make the case smaller. */
vi.setConfig({ testTimeout: 120_000 });

/** The line that repeats a failure. */
const again = (said: string): string => /^again: (.*)$/m.exec(said)?.[1] ?? '';

describe('the fuzz run', () => {
  test('ends with 0 when nothing is wrong, and names its seed', async () => {
    const [code, said] = await fuzz('sound');
    expect([code, /seed fixed/.test(said), /\d cases .* holds$/m.test(said)]).toEqual([0, true, true]);
  });

  test.each([
    ['throws', 'crash: Error: planted'],
    ['uncaught', 'crash: nothing handled the error Error: planted'],
    ['unhandled', 'crash: nothing handled the error Error: planted'],
    ['exits', 'crash: the process ended with exit code 7'],
    ['stalls', 'stall: the event loop stalled for '],
    ['bloats', 'memory: the process takes '],
  ])('finds the fault of %s, makes the case smaller, and says how to repeat it', async (target, message) => {
    const [code, said] = await fuzz(target);
    expect([code, said]).toEqual([1, expect.stringContaining(`${target}: ${message}`)]);
    expect(said).toMatch(/^choices: "[abx]{1,2}"$/m);
    expect(again(said)).toMatch(/^npm run fuzz -- --seed fixed --only \S+ --replay \d+\/[\d:]+$/);
  });

  test('finds memory that grows from case to case', async () => {
    const [code, said] = await fuzz('grows');
    expect([code, said]).toEqual([1, expect.stringContaining('it fails only after those before it')]);
  });

  test('makes the same choices again for the same seed, and runs one case alone', async () => {
    const [[, first], [, second]] = await Promise.all([fuzz('throws'), fuzz('throws')]);
    expect(again(first)).toBe(again(second));
    const place = again(first).split(' ').at(-1) ?? '';
    const [code, said] = await fuzz('throws', '--replay', place);
    expect([code, again(said)]).toEqual([1, again(first)]);
    expect(said).toMatch(/ 1 cases /);
  });

  test('refuses targets and options that it does not know', async () => {
    const codes = [fuzz('nothing'), fuzz('sound', '--replay', 'x'), fuzz('sound', '--minutes', '0')];
    expect((await Promise.all(codes)).map(([code]) => code)).toEqual([2, 2, 2]);
  });
});
