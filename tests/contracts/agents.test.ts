/** One suite over every agent: what holds for all of them, whatever is in their files. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { AgentFormat } from '../../src/agents/agent-format.ts';
import { allAgents } from '../../src/agents/all-agents.ts';
import { discover, type Discovery } from '../../src/discovery/discover.ts';
import { agentIds } from '../../src/kernel/agent-ids.ts';
import type { OperatingSystem } from '../../src/kernel/machine.ts';
import { makeMachine, memoryFiles } from '../support/agent-machine.ts';
import { configWords } from '../support/config-words.ts';

const systems: readonly OperatingSystem[] = ['linux', 'macos', 'windows'];

test('every id has a format and every format an id', () => {
  expect(allAgents.map(({ id }) => id)).toEqual(agentIds);
});

/** Puts the same text in every place the agent looks at. */
async function readEverywhere(format: AgentFormat, text: string, os: OperatingSystem): Promise<Discovery> {
  const machine = makeMachine({ os, cwd: 'sub' });
  const files = Object.fromEntries(
    format
      .locate(machine)
      .map(({ path, each, below = '' }) => [
        each === undefined ? path : machine.path.join(path, 'a.json', below),
        text,
      ]),
  );
  return discover([format], { machine, files: memoryFiles(machine, files), identity: { uid: 0, gid: 0 } });
}

/** JSON is YAML as well, and TOML readers get to see what is no TOML at all. */
const words = fc.constantFrom(
  ...configWords,
  'x',
  '__proto__',
  'constructor',
  '',
  'serverDefaults',
  'mcpTemplates',
  'uri',
  'customizations',
  'vscode',
);
const anyJson = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    words,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(words, tie('value')), { maxLength: 5 }).map((pairs) => Object.fromEntries(pairs)),
  ),
})).value;

describe.each(allAgents.map((format) => [format.id, format] as const))('%s', (id, format) => {
  test.each(systems)('looks only at absolute paths of its own system (%s)', (os) => {
    const machine = makeMachine({ os });
    const locations = format.locate(machine);
    expect(locations.length).toBeGreaterThan(0);
    for (const { path, scope, guarded } of locations) {
      expect(machine.path.isAbsolute(path)).toBe(true);
      expect(machine.path.normalize(path)).toBe(path);
      const inProject = `${path}${machine.path.sep}`.startsWith(machine.projectRoot + machine.path.sep);
      expect({ path, guarded }).toEqual({ path, guarded: inProject });
      if (inProject) expect(['project', 'local']).toContain(scope);
    }
  });

  test('any JSON value in any of its files never throws', async () => {
    await fc.assert(
      fc.asyncProperty(anyJson, fc.constantFrom(...systems), async (value, os) => {
        const found = await readEverywhere(format, JSON.stringify(value), os);
        for (const { definitions } of found.agents) {
          for (const { name, origin } of definitions) {
            expect(name.length).toBeGreaterThan(0);
            expect(origin.agent).toBe(id);
            expect(origin.line).toBeGreaterThan(0);
          }
        }
        for (const problem of found.problems) expect(problem.file).not.toBe('');
      }),
      { numRuns: 60 },
    );
    expect(({} as Record<string, unknown>)['command']).toBeUndefined();
  });

  test('text that is not a config gives a problem with a location and no server', async () => {
    const found = await readEverywhere(format, '{ "mcpServers": { "a": ', 'linux');
    expect(found.agents.flatMap(({ definitions }) => definitions)).toEqual([]);
    const errors = found.problems.filter(({ severity }) => severity === 'error');
    expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['file-syntax']));
    for (const { line, column, file } of found.problems)
      expect({ line: line > 0, column: column > 0, file: file !== '' }).toEqual({
        line: true,
        column: true,
        file: true,
      });
  });

  test('an empty file gives no server and no error', async () => {
    const found = await readEverywhere(format, '', 'linux');
    expect(found.agents.flatMap(({ definitions }) => definitions)).toEqual([]);
    expect(found.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  });
});
