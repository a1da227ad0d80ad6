import { mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { hostSystem } from '../../../tests/fixtures/programs/start-program.ts';
import { createRedactor } from '../../masking/redactor.ts';
import { createLogFile, logFileName, logFilePath, type LogFile, type LogFileParts } from './log-file.ts';

let home: string;
let warnings: string[];
let logs: LogFile[];

beforeEach(async () => {
  home = await mkdtemp(path.join(os.tmpdir(), 'holt-log-'));
  warnings = [];
  logs = [];
});
afterEach(async () => {
  await Promise.all(logs.map((log) => log.close()));
  await rm(home, { recursive: true, force: true });
});

const name = 'echo-00000000.log';

function open(parts: Partial<LogFileParts> = {}): LogFile {
  const log = createLogFile({
    holtHome: home,
    os: hostSystem,
    name,
    redactor: createRedactor(),
    onWarning: (message) => warnings.push(message),
    ...parts,
  });
  logs.push(log);
  return log;
}

const write = (log: LogFile, text: string): void => log.write(Buffer.from(text));
const read = (suffix = ''): Promise<string> => readFile(logFilePath(home, name) + suffix, 'utf8');
const files = async (): Promise<string[]> => (await readdir(path.join(home, 'logs'))).toSorted();

test.each([
  ['github', /^github-[0-9a-f]{8}\.log$/],
  ['My Server / v2!', /^my-server-v2-[0-9a-f]{8}\.log$/],
  ['../../etc/passwd', /^etc-passwd-[0-9a-f]{8}\.log$/],
  ['日本', /^server-[0-9a-f]{8}\.log$/],
  ['x'.repeat(500), /^x{40}-[0-9a-f]{8}\.log$/],
])('the log of %j has a harmless name', (server, expected) => {
  expect(logFileName(server, 'identity')).toMatch(expected);
  expect(logFileName(server, 'identity')).toBe(logFileName(server, 'identity'));
  expect(logFileName(server, 'other')).not.toBe(logFileName(server, 'identity'));
});

describe('the file', () => {
  test('is not there before something is written', async () => {
    await open().close();

    expect(await readdir(home)).toEqual([]);
  });

  test('has everything in its order, and is for nobody else to read', async () => {
    const log = open();
    for (let count = 0; count < 1000; count += 1) write(log, `line ${count}\n`);
    await log.flush();
    write(log, 'and more\n');
    await log.close();

    expect((await read()).split('\n')).toEqual([
      ...Array.from({ length: 1000 }, (_, count) => `line ${count}`),
      'and more',
      '',
    ]);
    expect((await stat(log.file)).mode & 0o777).toBe(0o600);
  });

  test('is added to by the next one', async () => {
    const first = open();
    write(first, 'first\n');
    await first.close();
    const second = open();
    write(second, 'second\n');
    await second.close();

    expect(await read()).toBe('first\nsecond\n');
  });

  test('is made anew when somebody removes it', async () => {
    const log = open();
    write(log, 'one\n');
    await log.flush();
    await rm(log.file);
    write(log, 'two\n');
    await log.flush();

    expect(await read()).toBe('two\n');
  });
});

test('no secret gets into it, cut in two or not, and characters that are cut are whole again', async () => {
  const redactor = createRedactor();
  redactor.add('sup3r-s3cret');
  const log = open({ redactor });
  const text = Buffer.from('token sup3r-s3cret and ü\n');
  for (const byte of text) {
    log.write(Buffer.of(byte));
    await log.flush();
  }
  await log.close();

  expect(await read()).toBe('token [secret] and ü\n');
  expect(log.redact('sup3r-s3cret')).toBe('[secret]');
});

describe('F52: its size', () => {
  test('is bounded: a full one becomes .1, that one .2, and older ones go', async () => {
    const log = open({ maxBytes: 1000 });
    for (let count = 0; count < 100; count += 1) {
      write(log, `${String(count).padStart(99)}\n`);
      await log.flush();
    }
    const sizes = await Promise.all(
      ['', '.1', '.2'].map(async (suffix) => (await stat(log.file + suffix)).size),
    );

    expect(await files()).toEqual([name, `${name}.1`, `${name}.2`]);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1000);
    expect((await read()).trim().split(/\s+/).at(-1)).toBe('99');
    expect((await read('.1')).trim().split(/\s+/)[0]).toBe('80');
  });

  test('is bounded as well when two write the same one', async () => {
    const [one, two] = [open({ maxBytes: 1000 }), open({ maxBytes: 1000 })];
    for (let count = 0; count < 50; count += 1) {
      write(one, `${'1'.repeat(99)}\n`);
      write(two, `${'2'.repeat(99)}\n`);
      await one.flush();
      await two.flush();
    }
    const sizes = await Promise.all(
      (await files()).map(async (file) => (await stat(path.join(home, 'logs', file))).size),
    );

    expect(sizes).toHaveLength(3);
    // Both may find room in the same moment.
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1200);
  });

  test('what is waiting for the disk is bounded too, and the gap is told', async () => {
    const log = open({ maxWaitingBytes: 1000 });
    for (let count = 0; count < 100; count += 1) write(log, `${'x'.repeat(99)}\n`);
    write(log, 'y\n');
    await log.flush();
    write(log, 'after\n');
    await log.close();
    const text = await read();

    expect(text.replaceAll(/x+\n/g, '')).toBe('\n[holt: 9002 bytes left out here]\nafter\n');
    expect(text).toHaveLength(1000 + '\n[holt: 9002 bytes left out here]\nafter\n'.length);
  });
});

describe('a disk that does not take it', () => {
  test('is told once and holds up nobody', async () => {
    await writeFile(path.join(home, 'logs'), 'in the way');
    const log = open();
    for (let count = 0; count < 10; count += 1) {
      write(log, 'text\n');
      await log.flush();
    }
    await log.close();

    expect(warnings).toEqual([expect.stringContaining(`The log ${log.file} cannot be written`)]);
  });

  test('a link in its place is not followed', async () => {
    const log = open();
    write(log, 'one\n');
    await log.close();
    const outside = path.join(home, 'outside');
    await rename(log.file, outside);
    await symlink(outside, log.file);
    const again = open();
    write(again, 'two\n');
    await again.close();

    expect(await readFile(outside, 'utf8')).toBe('one\n');
    expect(warnings).toHaveLength(1);
  });
});
