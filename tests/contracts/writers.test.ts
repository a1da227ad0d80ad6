/** One suite over every format holt writes, on the golden files of the agents. */

import fs from 'node:fs';

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { applyAdd, planAdd } from '../../src/editing/add-server.ts';
import { removeServer } from '../../src/editing/remove-server.ts';
import { setEnabled } from '../../src/editing/set-enabled.ts';
import { undoLast } from '../../src/editing/undo.ts';
import { writableAgents, writerOf, type WriteScope } from '../../src/editing/writers.ts';
import type { AgentId } from '../../src/kernel/agent-ids.ts';
import { startLimitOf } from '../../src/kernel/phases.ts';
import type { ServerDefinition } from '../../src/kernel/servers.ts';
import { scaled } from '../fixtures/programs/start-program.ts';
import { makeEditFixture, type EditFixture } from '../support/edit-fixture.ts';

const fixtures = new URL('../fixtures/agents/', import.meta.url);

/** Which golden file stands in for the file that is written; of others there is `good` with any ending. */
const samples: Readonly<Partial<Record<string, string>>> = {
  'claude-code project': 'mcp-json/good.json',
  'continue project': 'continue/good-claude.json',
  'copilot-cli project': 'copilot-cli/good.project.json',
  'holt user': 'chimera-mink/good.json',
  'holt project': 'chimera-mink/good.json',
  'holt local': 'chimera-mink/good.json',
};

const cases = writableAgents.flatMap((agent) =>
  (writerOf(agent)?.scopes ?? []).map((scope) => ({ agent, scope, sample: sampleOf(agent, scope) })),
);

function sampleOf(agent: AgentId, scope: WriteScope): string | undefined {
  const named = samples[`${agent} ${scope}`];
  if (named !== undefined) return named;
  const found = ['json', 'jsonc', 'toml', 'yaml'].map((ending) => `${agent}/good.${ending}`);
  return found.find((name) => fs.existsSync(new URL(name, fixtures)));
}

/** Puts the golden file where the agent keeps its servers. Gives its text. */
async function placeSample(
  fixture: EditFixture,
  agent: AgentId,
  scope: WriteScope,
  sample: string,
): Promise<string> {
  const golden = fs.readFileSync(new URL(sample, fixtures), 'utf8');
  const text = golden.replaceAll('"/srv/shop"', JSON.stringify(fixture.machine.projectRoot));
  // Continue writes to its list only when there is one.
  if (agent === 'continue' && scope === 'user') await fixture.write('~/.continue/config.yaml', text);
  const { file } = await planAdd({ name: 'probe', config: { command: 'x' }, agent, scope }, fixture.parts);
  await fixture.write(file, text, 0o640);
  return text;
}

const added = {
  program: { command: 'fs-server', args: ['--root', '/tmp'], env: { LOG: 'debug' } },
  remote: { url: 'https://x.test/mcp', headers: { 'X-Team': 'a' } },
};

describe('one added entry is the only difference in the bytes', () => {
  test.each(cases.filter(({ sample }) => sample !== undefined))(
    '$agent, $scope scope, in $sample',
    async ({ agent, scope, sample }) => {
      await using fixture = await makeEditFixture();
      const before = await placeSample(fixture, agent, scope, sample ?? '');
      for (const [name, config] of Object.entries(added)) {
        if (agent === 'claude-desktop' && name === 'remote') continue;
        const plan = await planAdd({ name: `new-${name}`, config, agent, scope }, fixture.parts);
        await applyAdd(plan, fixture.parts);
        const after = await fixture.read(plan.file);

        const inserted = insertedText(before, after);
        expect(inserted).toContain(`new-${name}`);
        expect(await fixture.modeOf(plan.file)).toBe(0o640);

        const { servers } = await fixture.roster();
        const definition = servers.find(({ ref }) => ref === `new-${name}`)?.definition;
        expect(definition?.origin).toMatchObject({ file: plan.file, scope });
        await removeServer(definition as ServerDefinition, fixture.parts); // found above
        expect(await fixture.read(plan.file)).toBe(before);
        await undoLast(fixture.parts);
        expect(await fixture.read(plan.file)).toBe(after);
        await undoLast(fixture.parts);
        expect(await fixture.read(plan.file)).toBe(before);
      }
    },
  );
});

/** What was put into the text at one place; throws when anything else differs. */
function insertedText(before: string, after: string): string {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < before.length - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  if (start + end !== before.length) {
    throw new Error(`more than an insertion: ${before.slice(start, before.length - end)} is gone`);
  }
  return after.slice(start, after.length - end);
}

/** Agents that keep what is off in a list of their own. */
const withLists: ReadonlySet<string> = new Set(['claude-code', 'copilot-cli', 'gemini', 'qwen']);

describe('switching off and on again', () => {
  test.each(cases)('$agent, $scope scope', async ({ agent, scope, sample }) => {
    await using fixture = await makeEditFixture();
    if (sample !== undefined) await placeSample(fixture, agent, scope, sample);
    const config = { command: 'fs-server', args: ['--root', '/tmp'] };
    const plan = await planAdd({ name: 'switched', config, agent, scope }, fixture.parts);
    await applyAdd(plan, fixture.parts);
    const before = await fixture.read(plan.file);

    const off = await setEnabled(await fixture.definition('switched'), 'off', fixture.parts);
    expect((await fixture.definition('switched')).enabled).toBe(false);
    const on = await setEnabled(await fixture.definition('switched'), 'on', fixture.parts);
    expect((await fixture.definition('switched')).enabled).toBe(true);

    const hasSwitch = writerOf(agent)?.shapeAt([...plan.path, 'switched']).off !== undefined;
    const how = hasSwitch ? 'file' : withLists.has(plan.target.reader.id) ? 'switch' : 'override';
    expect([off.how, on.how]).toEqual([how, how]);
    await undoLast(fixture.parts);
    await undoLast(fixture.parts);
    expect([await fixture.read(plan.file), (await fixture.definition('switched')).enabled]).toEqual([
      before,
      true,
    ]);
  });
});

describe('nothing is lost without being named', () => {
  const text = fc.constantFrom(
    'plain',
    '${VAR}',
    'a ${VAR} b',
    '${VAR:-x}',
    'UPPER',
    '$VAR',
    '!!bang',
    '{env:X}',
    '',
  );
  const texts = fc.dictionary(fc.constantFrom('TOKEN', 'LOG', 'VAR', 'Authorization'), text, { maxKeys: 3 });
  const shared = {
    enabled: fc.boolean(),
    timeout: fc.constantFrom(500, 1000, 1500, 60_000),
    timeouts: fc.record(
      { startMs: fc.constantFrom(1000, 2500), totalMs: fc.constant(9000) },
      { requiredKeys: [] },
    ),
    tools: fc.record(
      { include: fc.constant(['a']), exclude: fc.constant(['b']), autoApprove: fc.constant(['c']) },
      { requiredKeys: [] },
    ),
  };
  const program = fc.record(
    {
      command: fc.constantFrom('fs-server', '${HOME}/x'),
      args: fc.array(
        text.filter((value) => value !== ''),
        { maxLength: 3 },
      ),
      env: texts,
      cwd: fc.constant('/srv'),
      inheritEnv: fc.constantFrom('all', 'safe'),
      ...shared,
    },
    { requiredKeys: ['command'] },
  );
  const remote = fc.record(
    {
      url: fc.constantFrom('https://x.test/mcp', 'https://x.test/${VAR}'),
      type: fc.constantFrom('http', 'sse'),
      headers: texts,
      oauth: fc.oneof(
        fc.constant(false),
        fc.record(
          {
            clientId: fc.constant('id'),
            clientSecret: text.filter((value) => value !== ''),
            scopes: fc.constant(['a', 'b']),
          },
          { requiredKeys: [] },
        ),
      ),
      ...shared,
    },
    { requiredKeys: ['url'] },
  );

  test.each(cases)('$agent, $scope scope', { timeout: scaled(30_000) }, async ({ agent, scope }) => {
    await using fixture = await makeEditFixture();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(program, remote), async (config) => {
        const name = `it-${(count += 1)}`;
        const wanted = await planAdd({ name, config, scope: 'user' }, fixture.parts);
        const plan = await planAdd({ name, config, agent, scope }, fixture.parts).catch((error: unknown) => {
          // The one thing that is refused as a whole: a transport the agent does not have.
          expect(String(error)).toMatch(/cannot reach a server over/);
          return undefined;
        });
        if (plan === undefined) return;
        await applyAdd(plan, fixture.parts);
        const found = await fixture.definition(name);
        const kept = fieldsOf(found);
        const lost = new Set(plan.lost.map((field) => field.replace(/ \(.*$/, '')));
        const missing = Object.entries(fieldsOfConfig(wanted.entry)).filter(
          ([field, value]) => kept[field] !== value && !lost.has(field),
        );
        expect(missing).toEqual([]);
      }),
      { numRuns: scaled(3) },
    );
  });
});

/** Fields whose values can be compared as they are, whatever the dialect. */
function fieldsOf(definition: ServerDefinition): Readonly<Record<string, string>> {
  const { launch, enabled, timeouts, tools } = definition;
  return {
    transport: launch.kind,
    ...(launch.kind === 'stdio' ? present('cwd', launch.cwd) : {}),
    ...(launch.kind === 'stdio' ? present('inheritEnv', launch.inheritEnv) : {}),
    enabled: String(enabled),
    ...present('timeouts.startMs', startLimitOf(timeouts)),
    ...present('timeouts.idleMs', timeouts.idleMs),
    ...present('timeouts.totalMs', timeouts.totalMs),
    ...Object.assign(
      {},
      ...Object.entries(tools ?? {}).map(([key, value]) => present(`tools.${key}`, value)),
    ),
    ...(launch.kind === 'stdio' ? namesOf('env', { ...launch.env, ...launch.envFrom }) : {}),
    ...(launch.kind === 'stdio' ? {} : namesOf('headers', { ...launch.headers, ...launch.headersFrom })),
  };
}

function fieldsOfConfig(entry: unknown): Readonly<Record<string, string>> {
  const { timeout, timeouts, tools, enabled, cwd, inheritEnv, env, headers, type } = entry as Record<
    string,
    unknown
  >; // holt's own shape
  return {
    transport: typeof type === 'string' ? type : 'stdio',
    ...present('cwd', cwd),
    ...present('inheritEnv', inheritEnv),
    enabled: enabled === false ? 'false' : 'true',
    ...present('timeouts.idleMs', timeout),
    ...Object.assign(
      {},
      ...Object.entries(timeouts ?? {}).map(([key, value]) => present(`timeouts.${key}`, value)),
    ),
    ...Object.assign(
      {},
      ...Object.entries(tools ?? {}).map(([key, value]) => present(`tools.${key}`, value)),
    ),
    ...namesOf('env', env ?? {}),
    ...namesOf('headers', headers ?? {}),
  };
}

function present(key: string, value: unknown): Record<string, string> {
  return value === undefined ? {} : { [key]: typeof value === 'string' ? value : JSON.stringify(value) };
}

function namesOf(label: string, map: object): Record<string, string> {
  return Object.fromEntries(Object.keys(map).map((key) => [`${label}.${key}`, 'there']));
}
