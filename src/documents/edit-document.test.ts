import { expect, test } from 'vitest';

import {
  appendItem,
  insertEntry,
  removeEntry,
  removeItem,
  replaceItem,
  replaceValue,
  type EditResult,
} from './edit-document.ts';
import type { DocFormat } from './tree.ts';

interface Sample {
  readonly format: DocFormat;
  readonly text: string;
  readonly inserted: string;
  readonly disabled: string;
  readonly list: string;
  readonly longer: string;
}

const samples: readonly Sample[] = [
  {
    format: 'json',
    text: '{\n  // mine\n  "servers": {\n    "a": { "command": "x" }\n  }\n}\n',
    inserted:
      '{\n  // mine\n  "servers": {\n    "a": { "command": "x" },\n    "b": {\n      "command": "y"\n    }\n  }\n}\n',
    disabled: '{\n  // mine\n  "servers": {\n    "a": { "command": "x", "enabled": false }\n  }\n}\n',
    list: '{ "servers": [{ "name": "a" }] }',
    longer: '{ "servers": [{ "name": "a" }, {"name": "b"}] }',
  },
  {
    format: 'toml',
    text: '# mine\n[servers.a]\ncommand = "x"\n',
    inserted: '# mine\n[servers.a]\ncommand = "x"\n\n[servers.b]\ncommand = "y"\n',
    disabled: '# mine\n[servers.a]\ncommand = "x"\nenabled = false\n',
    list: '[[servers]]\nname = "a"\n',
    longer: '[[servers]]\nname = "a"\n\n[[servers]]\nname = "b"\n',
  },
  {
    format: 'yaml',
    text: '# mine\nservers:\n  a:\n    command: x\n',
    inserted: '# mine\nservers:\n  a:\n    command: x\n  b:\n    command: w\n',
    disabled: '# mine\nservers:\n  a:\n    command: x\n    enabled: false\n',
    list: 'servers:\n  - name: a\n',
    longer: 'servers:\n  - name: a\n  - name: b\n',
  },
];

function done(text: string): EditResult {
  return { ok: true, text };
}

function windows(body: string): string {
  return `\ufeff${body.replaceAll('\n', '\r\n')}`;
}

test.each(samples)('$format: entries come and go', async ({ format, text, inserted, disabled }) => {
  const value = { command: format === 'yaml' ? 'w' : 'y' };
  expect(await insertEntry(text, format, { path: ['servers'], key: 'b', value })).toEqual(done(inserted));
  expect(await removeEntry(inserted, format, { path: ['servers'], key: 'b' })).toEqual(done(text));
  const path = ['servers', 'a'];
  expect(await insertEntry(text, format, { path, key: 'enabled', value: false })).toEqual(done(disabled));
  expect(await replaceValue(disabled, format, { path, key: 'enabled', value: true })).toEqual(
    done(disabled.replace('false', 'true')),
  );
  expect(
    await replaceValue(disabled, format, { path: ['servers'], key: 'a', value: { command: 'x' } }),
  ).toEqual(done(text));
});

test.each(samples)('$format: items come and go', async ({ format, list, longer }) => {
  const path = ['servers'];
  expect(await appendItem(list, format, { path, value: { name: 'b' } })).toEqual(done(longer));
  expect(await removeItem(longer, format, { path, index: 1 })).toEqual(done(list));
  expect(await replaceItem(longer, format, { path, index: 1, value: { name: 'c' } })).toEqual(
    done(longer.replace(/b(?=[^b]*$)/, 'c')),
  );
  expect(await removeItem(longer, format, { path, index: 7 })).toEqual({
    ok: false,
    reason: 'there is no "servers[7]"',
  });
});

test.each(samples)('$format: what changes nothing changes no byte', async ({ format, text }) => {
  const mark = windows(text);
  expect(await replaceValue(mark, format, { path: ['servers'], key: 'a', value: { command: 'x' } })).toEqual(
    done(mark),
  );
});

test.each(samples)('$format: a byte order mark and CRLF stay', async ({ format, text, inserted }) => {
  const value = { command: format === 'yaml' ? 'w' : 'y' };
  expect(await insertEntry(windows(text), format, { path: ['servers'], key: 'b', value })).toEqual(
    done(windows(inserted)),
  );
  expect(await removeEntry(windows(inserted), format, { path: ['servers'], key: 'b' })).toEqual(
    done(windows(text)),
  );
});

test.each(samples)('$format: a value nested too deep is not written', async ({ format, text }) => {
  let value: { a: unknown } | string = 'x';
  for (let level = 0; level < 70; level += 1) value = { a: value };
  const result = await insertEntry(text, format, {
    path: [],
    key: 'deep',
    value: JSON.parse(JSON.stringify(value)),
  });
  expect(result).toEqual({ ok: false, reason: 'the changed text would not read as wanted' });
});

test.each(samples)('$format: the layout of a new file can be chosen', async ({ format }) => {
  const style = { indent: '    ', eol: '\r\n' } as const;
  const result = await insertEntry('', format, { path: ['s'], key: 'a', value: { b: 1 }, style });
  const expected = {
    json: '{\r\n    "s": {\r\n        "a": {\r\n            "b": 1\r\n        }\r\n    }\r\n}\r\n',
    toml: '[s.a]\r\nb = 1\r\n',
    yaml: 's:\r\n    a:\r\n        b: 1\r\n',
  };
  expect(result).toEqual(done(expected[format]));
});

test('a key written a thousand times is not edited', async () => {
  const text = `{${'"a": 1,'.repeat(1000)}}`;
  expect(await removeEntry(text, 'json', { path: [], key: 'a' })).toEqual({
    ok: false,
    reason: '"a" is written too many times',
  });
});
