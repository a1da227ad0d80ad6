import { expect, test } from 'vitest';
import { fixture, readAgent, said } from '../../tests/support/agent-machine.ts';
import { placeIn, placesOf, problemLines, remote, stdio } from '../../tests/support/expected.ts';
import { visualStudio } from './vscode.ts';

const file = 'D:\\src\\shop\\.vs\\mcp.json';
const project = placeIn('visual-studio', 'project', file);
const common = { enabled: true, timeouts: {}, dialect: 'vscode', guarded: true };

test('reads the good file with its inputs', async () => {
  const result = await readAgent(visualStudio, {
    os: 'windows',
    files: { './.vs/mcp.json': fixture('visual-studio/good.json') },
  });
  const inputs = [{ id: 'pat', description: 'Access token', password: true }];
  expect(problemLines(result)).toEqual([]);
  expect(said(result).toReversed()).toEqual([
    {
      ...common,
      name: 'azure',
      launch: stdio('npx.cmd', { args: ['-y', '@acme/azure-mcp'], env: { PAT: '${input:pat}' } }),
      inputs,
      origin: project(4, 5),
    },
    {
      ...common,
      name: 'hub',
      launch: remote('http', 'https://hub.example/mcp/'),
      inputs,
      origin: project(5, 5),
    },
  ]);
});

test('says that Visual Studio takes neither comments nor trailing commas, and reads on', async () => {
  const result = await readAgent(visualStudio, {
    os: 'windows',
    files: { './.vs/mcp.json': fixture('visual-studio/broken.json') },
  });
  expect(said(result)).toEqual([{ ...common, name: 'ok', launch: stdio('ok-mcp'), origin: project(5, 5) }]);
  expect(problemLines(result)).toEqual([
    `${file}:1:1 warning agent-refuses: Visual Studio would refuse this file because it has comments; holt reads it all the same → Save it as plain JSON.`,
    `${file}:1:1 warning agent-refuses: Visual Studio would refuse this file because it has trailing commas; holt reads it all the same → Save it as plain JSON.`,
    `${file}:4:12 error entry-invalid bad: server "bad" cannot be used: it needs "command" or "url"`,
  ]);
});

test('has one file of its own; the shared ones belong to others', () => {
  expect(placesOf(visualStudio, { os: 'windows' })).toEqual([`project ${file}`]);
  expect(placesOf(visualStudio)).toEqual(['project /srv/shop/.vs/mcp.json']);
  expect(placesOf(visualStudio, { os: 'macos' })).toEqual(['project /Users/ada/src/shop/.vs/mcp.json']);
});
