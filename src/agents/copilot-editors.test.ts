import { expect, test } from 'vitest';

import { fixture, readAgent, said } from '../../tests/support/agent-machine.ts';
import { placeIn, placesOf, problemLines, remote, stdio } from '../../tests/support/expected.ts';
import { copilotJetbrains, copilotXcode } from './copilot-editors.ts';

const common = { enabled: true, timeouts: {}, dialect: 'none', guarded: false };

test('JetBrains: reads the good file and lifts headers out of requestInit (E16)', async () => {
  const file = '/home/ada/.config/github-copilot/intellij/mcp.json';
  const user = placeIn('copilot-jetbrains', 'user', file);
  const result = await readAgent(copilotJetbrains, {
    files: { [file]: fixture('copilot-jetbrains/good.json') },
  });
  expect(problemLines(result)).toEqual([]);
  expect(said(result).toReversed()).toEqual([
    {
      ...common,
      name: 'gh',
      launch: remote('http', 'https://gh.example/mcp', { headers: { Authorization: 'Bearer ${literal}' } }),
      origin: user(3, 5),
    },
    {
      ...common,
      name: 'local',
      launch: stdio('docker', { args: ['run', '-i', '--rm', 'acme/mcp'], env: { LEVEL: '2' } }),
      origin: user(4, 5),
    },
    { ...common, name: 'feed', launch: remote('sse', 'https://feed.example/sse'), origin: user(5, 5) },
  ]);
});

test('JetBrains: one bad entry and one bad field cost only themselves', async () => {
  const file = 'C:\\Users\\Ada\\AppData\\Local\\github-copilot\\intellij\\mcp.json';
  const user = placeIn('copilot-jetbrains', 'user', file);
  const result = await readAgent(copilotJetbrains, {
    os: 'windows',
    files: { [file]: fixture('copilot-jetbrains/broken.json') },
  });
  expect(said(result).toReversed()).toEqual([
    { ...common, name: 'odd', launch: remote('http', 'https://odd.example/mcp'), origin: user(5, 5) },
    { ...common, name: 'ok', launch: stdio('ok-mcp'), origin: user(6, 5) },
  ]);
  expect(problemLines(result)).toEqual([
    `${file}:2:17 warning agent-ignores: Copilot for JetBrains does not look at "mcpServers" here → Call it "servers".`,
    `${file}:4:12 error entry-invalid bad: server "bad" cannot be used: it needs "command" or "url"`,
    `${file}:5:76 warning field-invalid odd: "headers" must be an object of strings, but is a string; it is ignored`,
  ]);
});

test('Xcode: reads the good file', async () => {
  const file = '/Users/ada/.config/github-copilot/xcode/mcp.json';
  const user = placeIn('copilot-xcode', 'user', file);
  const result = await readAgent(copilotXcode, {
    os: 'macos',
    files: { [file]: fixture('copilot-xcode/good.json') },
  });
  expect(problemLines(result)).toEqual([]);
  expect(said(result).toReversed()).toEqual([
    {
      ...common,
      name: 'gh',
      launch: remote('http', 'https://gh.example/mcp', { headers: { Authorization: 'Bearer t' } }),
      origin: user(3, 5),
    },
    { ...common, name: 'swift', launch: stdio('swift-mcp', { args: ['--stdio'] }), origin: user(4, 5) },
  ]);
});

test('Xcode: a bad entry does not hide its neighbour', async () => {
  const file = '/Users/ada/.config/github-copilot/xcode/mcp.json';
  const result = await readAgent(copilotXcode, {
    os: 'macos',
    files: { [file]: fixture('copilot-xcode/broken.json') },
  });
  const origin = placeIn('copilot-xcode', 'user', file)(4, 5);
  expect(said(result)).toEqual([{ ...common, name: 'ok', launch: stdio('ok-mcp'), origin }]);
  expect(problemLines(result)).toEqual([
    `${file}:3:21 error entry-invalid bad: server "bad" cannot be used: a URL that begins with "ftp:" cannot be used for http`,
  ]);
});

test('says that they take no comments', async () => {
  const file = '/Users/ada/.config/github-copilot/xcode/mcp.json';
  const result = await readAgent(copilotXcode, {
    os: 'macos',
    files: { [file]: '{"servers":{}} // none yet' },
  });
  expect(problemLines(result)).toEqual([
    `${file}:1:1 warning agent-refuses: Copilot for Xcode would refuse this file because it has comments; holt reads it all the same → Save it as plain JSON.`,
  ]);
});

test('look in the right places on every system', () => {
  expect(placesOf(copilotJetbrains)).toEqual(['user /home/ada/.config/github-copilot/intellij/mcp.json']);
  expect(placesOf(copilotJetbrains, { env: { XDG_CONFIG_HOME: '/cfg' } })).toEqual([
    'user /cfg/github-copilot/intellij/mcp.json',
  ]);
  expect(placesOf(copilotJetbrains, { os: 'macos' })).toEqual([
    'user /Users/ada/.config/github-copilot/intellij/mcp.json',
  ]);
  expect(placesOf(copilotJetbrains, { os: 'windows', env: { LOCALAPPDATA: 'E:\\local' } })).toEqual([
    'user E:\\local\\github-copilot\\intellij\\mcp.json',
  ]);
  expect(placesOf(copilotXcode, { os: 'macos', env: { XDG_CONFIG_HOME: '/cfg' } })).toEqual([
    'user /Users/ada/.config/github-copilot/xcode/mcp.json',
  ]);
});
