import { expect, test } from 'vitest';

import { makeMachine, memoryFiles } from '../../tests/support/agent-machine.ts';
import { addItem, setSetting } from './edit-settings.ts';
import { loadSettings } from './load-settings.ts';

const commented = `// my settings
{
  /* how tools are called */
  "naming": "double", // the usual
  "limits": {
    "messageBytes": 2048 // small machine
  }
}
`;

test('changes one value and keeps every comment and every other byte', async () => {
  expect(await setSetting(commented, 'naming', 'plain')).toEqual({
    ok: true,
    text: commented.replace('"double"', '"plain"'),
  });
  expect(await setSetting(commented, 'limits.messageBytes', 4096)).toEqual({
    ok: true,
    text: commented.replace('2048', '4096'),
  });
});

test('adds a setting, making the objects on its way', async () => {
  expect(
    await setSetting('{\n  // mine\n  "naming": "plain"\n}\n', 'timeouts.phases.connecting', 500),
  ).toEqual({
    ok: true,
    text: `{
  // mine
  "naming": "plain",
  "timeouts": {
    "phases": {
      "connecting": 500
    }
  }
}
`,
  });
});

test('keys with dots in them stay one key', async () => {
  const edited = await setSetting('{}\n', 'hooks.tool.execute.before', [{ command: 'check' }]);
  expect(edited.ok && JSON.parse(edited.text)).toEqual({
    hooks: { 'tool.execute.before': [{ command: 'check' }] },
  });
});

test('a new file names its schema, and keeps comments that were there alone', async () => {
  expect(await setSetting(undefined, 'limits.messageBytes', 4096, { schema: './s.json' })).toEqual({
    ok: true,
    text: '{\n  "$schema": "./s.json",\n  "limits": {\n    "messageBytes": 4096\n  }\n}\n',
  });
  expect(await setSetting('// to do\n\n', 'naming', 'plain')).toEqual({
    ok: true,
    text: '// to do\n{\n  "naming": "plain"\n}\n',
  });
});

test('null takes a setting out, and does nothing where there is none', async () => {
  expect(await setSetting('{\n  "naming": "plain",\n  "concurrency": 2\n}\n', 'naming', null)).toEqual({
    ok: true,
    text: '{\n  "concurrency": 2\n}\n',
  });
  expect(await setSetting(commented, 'daemon', null)).toEqual({ ok: true, text: commented });
});

test('what is written is what is read back', async () => {
  const machine = makeMachine();
  const edited = await setSetting(commented, 'agents', ['codex', '!cursor', '*']);
  const text = edited.ok ? edited.text : '';
  const { settings, problems } = loadSettings(machine, memoryFiles(machine, { '~/.holt/config.json': text }));
  expect(problems).toEqual([]);
  expect(settings.agents).toEqual(['codex', '!cursor', '*']);
});

test('a value that does not fit, an unknown name and a broken file are refused with the reason', async () => {
  expect(await setSetting('{}', 'concurrency', 0)).toEqual({
    ok: false,
    errors: ['"concurrency" must be a whole number from 1 to 1024, but is 0'],
  });
  expect(await setSetting('{}', 'agents', ['curser'])).toEqual({
    ok: false,
    errors: ['Unknown agent "curser". Did you mean "cursor"?'],
  });
  expect(await setSetting('{}', 'limits', { messageByte: 1 })).toEqual({
    ok: false,
    errors: ['"limits" has no "messageByte". Did you mean "messageBytes"?'],
  });
  expect(await setSetting('{}', 'limits.messageByte', 1)).toEqual({
    ok: false,
    errors: ['Unknown setting "limits.messageByte". Did you mean "limits.messageBytes"?'],
  });
  expect(await setSetting('{"naming" 1}', 'naming', 'plain')).toEqual({
    ok: false,
    errors: ['the text cannot be read: ":" is missing after a property name'],
  });
  expect(await setSetting('[]', 'naming', 'plain')).toMatchObject({ ok: false });
  expect(await setSetting('{"limits": 5}', 'limits.messageBytes', 4096)).toMatchObject({ ok: false });
});

test('an item is added to a list once, and everything around it stays', async () => {
  const before = '{\n  // mine\n  "permissions": { "deny": ["mcp__a"] /* one */ }\n}\n';
  const added = await addItem(before, 'permissions.allow', 'mcp__b');
  expect(added).toEqual({
    ok: true,
    text: '{\n  // mine\n  "permissions": { "deny": ["mcp__a"], /* one */ "allow": ["mcp__b"] }\n}\n',
  });
  const text = added.ok ? added.text : '';
  expect(await addItem(text, 'permissions.allow', 'mcp__b')).toEqual({ ok: true, text });
  expect(await addItem(undefined, 'permissions.allow', 'mcp__b')).toEqual({
    ok: true,
    text: `${JSON.stringify({ permissions: { allow: ['mcp__b'] } }, undefined, 2)}\n`,
  });
});

test('an item that does not fit, a setting that is no list and an unknown name are refused', async () => {
  expect(await addItem('{}', 'permissions.allow', 5)).toMatchObject({ ok: false });
  expect(await addItem('{"permissions": {"allow": "x"}}', 'permissions.allow', 'y')).toMatchObject({
    ok: false,
  });
  expect(await addItem('{}', 'permissions.alow', 'y')).toEqual({
    ok: false,
    errors: ['Unknown setting "permissions.alow". Did you mean "permissions.allow"?'],
  });
});
