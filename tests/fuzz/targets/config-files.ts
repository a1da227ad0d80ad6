/** Config files of every agent in every format: golden files that were damaged, and files made from scratch. */

import path from 'node:path';
import fc from 'fast-check';
import { readFileSync, readdirSync } from 'node:fs';
import { stringify } from 'yaml';
import { allAgents } from '../../../src/agents/all-agents.ts';
import { guardByPlace } from '../../../src/discovery/discover.ts';
import { insertEntry, removeEntry } from '../../../src/documents/edit-document.ts';
import { parseDocument } from '../../../src/documents/parse-document.ts';
import { get, type DocFormat } from '../../../src/documents/tree.ts';
import type { Machine, OperatingSystem } from '../../../src/kernel/machine.ts';
import { loadRoster } from '../../../src/roster/load-roster.ts';
import { settingsFiles } from '../../../src/settings/layers/read-layer.ts';
import { fingerprint } from '../../../src/trust/fingerprint.ts';
import { makeMachine, memoryFiles } from '../../support/agent-machine.ts';
import { alwaysSaying } from '../../support/sample-servers.ts';
import { damaged, damages, type Damage } from '../inputs/damage.ts';
import { anyRecipe, write, type Recipe } from '../inputs/json-recipe.ts';
import { BrokenPromise, asTarget } from '../target.ts';
import { configWords } from '../../support/config-words.ts';
import { nextTurn } from '../../../src/platform/waits.ts';

const golden = path.join(import.meta.dirname, '..', '..', 'fixtures', 'agents');
const goldenTexts = readdirSync(golden, { recursive: true, encoding: 'utf8' })
  .filter((name) => path.extname(name) !== '')
  .toSorted()
  .map((name) => ({ name, text: readFileSync(path.join(golden, name), 'utf8') }));
const goldenOf = new Map(goldenTexts.map(({ name, text }) => [name, text]));

const words = [
  ...configWords,
  'cwd',
  '${X:-y}',
  '{env:X}',
  '$(id)',
  'trust',
  'agents',
  'limits',
  'policy',
  'rules',
  'allow',
  'deny',
  'ask',
  '*',
  '!holt',
  'user',
  'project',
];

type Source =
  | { readonly kind: 'golden'; readonly name: string }
  | { readonly kind: 'made'; readonly as: 'json' | 'yaml' | 'toml'; readonly recipe: Recipe };

interface ConfigCase {
  readonly source: Source;
  readonly agent: string;
  readonly os: OperatingSystem;
  /** Which of the places that this agent reads. */
  readonly place: number;
  readonly encoding: 'utf8' | 'utf16le' | 'bom';
  readonly damage: readonly Damage[];
}

const namesOfAgent = (id: string): readonly string[] =>
  goldenTexts.map(({ name }) => name).filter((name) => name.startsWith(`${id}${path.sep}`));
const anyGolden = fc.constantFrom(...goldenTexts.map(({ name }) => name));

const inputs: fc.Arbitrary<ConfigCase> = fc.constantFrom(...allAgents.map(({ id }) => id)).chain((agent) => {
  const own = namesOfAgent(agent);
  const name =
    own.length === 0 ? anyGolden : fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...own) }, anyGolden);
  return fc.record({
    agent: fc.constant(agent),
    source: fc.oneof(
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('golden'), name }) },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant('made'),
          as: fc.constantFrom('json', 'yaml', 'toml'),
          recipe: anyRecipe(words),
        }),
      },
    ),
    os: fc.constantFrom('linux', 'macos', 'windows'),
    place: fc.nat({ max: 40 }),
    encoding: fc.oneof({ weight: 8, arbitrary: fc.constant('utf8') }, fc.constantFrom('utf16le', 'bom')),
    damage: damages(5, words),
  });
});

function textOf(source: Source): string {
  if (source.kind === 'golden') return goldenOf.get(source.name) ?? '';
  const json = write(source.recipe);
  if (source.as === 'json' || json.length > 50_000) return json;
  try {
    const value = JSON.parse(json) as unknown;
    return source.as === 'yaml' ? stringify(value) : tomlLines(value, []).join('\n');
  } catch {
    return json;
  }
}

/** Dotted keys, one line for each value, with JSON in place of strings and inline tables. */
function tomlLines(value: unknown, keys: readonly string[]): readonly string[] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && keys.length < 6)
    return Object.entries(value).flatMap(([key, inner]) => tomlLines(inner, [...keys, JSON.stringify(key)]));
  return [`${keys.length === 0 ? 'x' : keys.join('.')} = ${JSON.stringify(value).replaceAll('":', '"=')}`];
}

interface Written {
  readonly machine: Machine;
  readonly file: string;
  readonly agent: string;
  readonly format: DocFormat;
  /** A repository could have brought the file. */
  readonly guarded: boolean;
  readonly text: string;
  readonly bytes: Uint8Array;
}

function writeCase({ source, agent, os, place, encoding, damage }: ConfigCase): Written {
  const machine = makeMachine({ os, cwd: 'sub' });
  const format = allAgents.find(({ id }) => id === agent);
  const places = [
    ...(format?.locate(machine) ?? []).map((location) => ({
      file:
        location.each === undefined
          ? location.path
          : machine.path.join(location.path, 'a.json', location.below ?? ''),
      format: location.format,
      guarded: guardByPlace(location, machine).guarded,
    })),
    ...settingsFiles(machine).map((file) => ({
      file: file.path,
      format: 'json' as const,
      guarded: file.guarded,
    })),
  ];
  const chosen = places[place % places.length] ?? { file: '', format: 'json', guarded: false };
  const text = damaged(textOf(source), damage);
  const marked = Buffer.from(
    encoding === 'utf8' ? text : `\ufeff${text}`,
    encoding === 'utf16le' ? 'utf16le' : 'utf8',
  );
  return { machine, agent, text, bytes: marked, ...chosen };
}

async function readCase({ machine, agent, file, format, text, bytes }: Written): Promise<void> {
  const files = memoryFiles(machine, { [file]: bytes });
  const approvals = alwaysSaying('untrusted');
  const roster = await loadRoster(
    { agents: [agent] },
    { machine, files, identity: { uid: 0, gid: 0 }, approvals },
  );
  for (const { definition } of [...roster.servers, ...roster.shadowed]) {
    if (definition.name === '' || definition.origin.line < 1)
      throw new BrokenPromise('a server has no name or no line');
    await nextTurn();
    void fingerprint(definition, machine, files, (name) => name).fields.length;
  }
  if (roster.problems.some(({ message }) => message === ''))
    throw new BrokenPromise('a problem has no message');
  await nextTurn();
  if (text.length <= longestEdited) await editCase(text, format);
}

/** An edit reads the text four times in one go, in the process of a command. */
const longestEdited = 10_000;
/** Longer files of the user's own may take as long as they take: nobody else writes them. */
const longestUnguarded = 20_000;

/** An edit is refused, or what it wrote can be read and has the new entry. */
async function editCase(text: string, format: DocFormat): Promise<void> {
  const place = { path: ['mcpServers'], key: 'fuzz added' };
  const added = await insertEntry(text, format, { ...place, value: { command: 'x' } });
  await nextTurn();
  if (!added.ok) return;
  const document = await parseDocument(Buffer.from(added.text), format);
  const hasEntry = document.ok && get(get(document.root, 'mcpServers'), 'fuzz added') !== undefined;
  if (!hasEntry) throw new BrokenPromise('an accepted edit cannot be read');
  await nextTurn();
  await removeEntry(added.text, format, place);
}

export const configFiles = asTarget<ConfigCase>({
  name: 'config-files',
  inputs,
  open: () =>
    Promise.resolve({
      prepare: (value) => {
        const written = writeCase(value);
        const { text, guarded } = written;
        const mayStall = !guarded && text.length > longestUnguarded;
        return { text, mayStall, run: () => readCase(written) };
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
});
