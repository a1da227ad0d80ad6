/** Forty hostile files and what each one yields: one problem, or none. */

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';

import type { ProblemCode } from '../../src/kernel/problems.ts';

export interface HostileFile {
  readonly name: string;
  /** Makes the thing at this path. */
  readonly make: (path: string) => void;
  /** The one problem it gives; undefined for what is simply read. */
  readonly problem: ProblemCode | undefined;
  /** How many servers come out of it. */
  readonly servers: number;
}

const text =
  (content: string | Uint8Array) =>
  (path: string): void =>
    fs.writeFileSync(path, content);
const good = '{"mcpServers":{"ok":{"command":"ok"}}}';
const entry = (value: string): string => `{"mcpServers":{"bad":${value},"ok":{"command":"ok"}}}`;
const file = (
  name: string,
  content: string | Uint8Array,
  problem: ProblemCode | undefined,
  servers: number,
): HostileFile => ({
  name,
  make: text(content),
  problem,
  servers,
});

export const hostileFiles: readonly HostileFile[] = [
  file('unterminated object', '{"mcpServers":{"a":{"command":"x"', 'file-syntax', 0),
  file('unterminated string', '{"mcpServers":{"a":{"command":"x', 'file-syntax', 0),
  file('unterminated comment', '{"mcpServers":{}} /* ', 'file-syntax', 0),
  file('text after the end', `${good} x`, 'file-syntax', 0),
  file('two values', `${good}${good}`, 'file-syntax', 0),
  file('a single quote', "{'mcpServers':{}}", 'file-syntax', 0),
  file('a NUL between tokens', `{\0"mcpServers":{}}`, 'file-syntax', 0),
  file('a NUL in a string', '{"mcpServers":{"a\0b":{"command":"x"}}}', 'file-syntax', 0),
  file(
    'an escaped NUL in a name',
    '{"mcpServers":{"a\\u0000b":{"command":"x"},"ok":{"command":"ok"}}}',
    'entry-invalid',
    1,
  ),
  file(
    'binary',
    new Uint8Array(Array.from({ length: 4096 }, (_, index) => (index * 7919) % 256)),
    'file-syntax',
    0,
  ),
  file('not JSON at all', 'servers = 3', 'file-syntax', 0),
  file('a trap of a number', '{"mcpServers":1e99999}', 'file-shape', 0),
  file('a list on top', '[]', 'file-shape', 0),
  file('a text on top', '"hello"', 'file-shape', 0),
  file('null on top', 'null', 'file-shape', 0),
  file('servers in a list', '{"mcpServers":[{"command":"x"}]}', 'file-shape', 0),
  file('servers as a text', '{"mcpServers":"x"}', 'file-shape', 0),
  file('depth 65', `{"mcpServers":{"a":${'['.repeat(65)}${']'.repeat(65)}}}`, 'file-too-deep', 0),
  file('depth 100,000 of lists', '['.repeat(100_000), 'file-too-deep', 0),
  file('depth 100,000 of objects', '{"a":'.repeat(100_000), 'file-too-deep', 0),
  file('an entry that is null', entry('null'), 'entry-invalid', 1),
  file('an entry that is a text', entry('"x"'), 'entry-invalid', 1),
  file('an entry that is a list', entry('[]'), 'entry-invalid', 1),
  file('an entry that is empty', entry('{}'), 'entry-invalid', 1),
  file('a command that is a number', entry('{"command":5}'), 'entry-invalid', 1),
  file('a command that is empty', entry('{"command":""}'), 'entry-invalid', 1),
  file('a URL with a script', entry('{"type":"http","url":"javascript:alert(1)"}'), 'entry-invalid', 1),
  file('an unknown type', entry('{"type":"carrier-pigeon","url":"https://x.test"}'), 'entry-invalid', 1),
  file('args as a text', '{"mcpServers":{"ok":{"command":"ok","args":"-x"}}}', 'field-invalid', 1),
  file(
    'headers with a list',
    '{"mcpServers":{"ok":{"type":"http","url":"https://x.test","headers":{"A":["x"]}}}}',
    'field-invalid',
    1,
  ),
  file(
    'a name of 101 characters',
    entry('{"command":"x"}').replace('bad', 'b'.repeat(101)),
    'entry-invalid',
    1,
  ),
  file(
    'the same name twice',
    '{"mcpServers":{"a":{"command":"x"},"a":{"command":"y"},"ok":{"command":"ok"}}}',
    'entry-duplicate',
    1,
  ),
  file(
    '__proto__ as a name',
    '{"mcpServers":{"__proto__":{"command":"x"},"constructor":{"command":"y"}}}',
    undefined,
    2,
  ),
  file(
    '__proto__ as a variable',
    '{"mcpServers":{"ok":{"command":"x","env":{"__proto__":"y"}}}}',
    undefined,
    1,
  ),
  file('a byte order mark', `\ufeff${good}`, undefined, 1),
  file('UTF-16, little end first', Buffer.from(`\ufeff${good}`, 'utf16le'), undefined, 1),
  file('UTF-16, big end first', Buffer.from(`\ufeff${good}`, 'utf16le').swap16(), undefined, 1),
  file('CRLF', '{\r\n"mcpServers": {\r\n"ok": {"command": "ok"}\r\n}\r\n}\r\n', undefined, 1),
  file(
    'a file of one mebibyte and a byte',
    `${good}${' '.repeat((1 << 20) - good.length + 1)}`,
    'file-too-large',
    0,
  ),
  {
    name: '500 MB of nothing',
    problem: 'file-too-large',
    servers: 0,
    make: (path) => {
      fs.writeFileSync(path, good);
      fs.truncateSync(path, 500_000_000);
    },
  },
  { name: 'a folder', problem: 'file-not-regular', servers: 0, make: (path) => fs.mkdirSync(path) },
  {
    name: 'a named pipe',
    problem: 'file-not-regular',
    servers: 0,
    make: (path) => execFileSync('mkfifo', [path]),
  },
  {
    name: 'a device',
    problem: 'file-not-regular',
    servers: 0,
    make: (path) => fs.symlinkSync('/dev/zero', path),
  },
  {
    name: 'a link to itself',
    problem: 'file-unreadable',
    servers: 0,
    make: (path) => fs.symlinkSync(path, path),
  },
  {
    name: 'a link to nowhere',
    problem: undefined,
    servers: 0,
    make: (path) => fs.symlinkSync('/nowhere/at/all', path),
  },
];
