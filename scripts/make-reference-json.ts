/** The page that shows what each command prints with `--json`, from real runs. */

import { openHost } from '../src/index.ts';
import { createDemo, type Demo } from './make-reference-demo.ts';
import { note } from './make-reference-tables.ts';

/** These only look, so they can be asked side by side. */
const lookers: readonly string[] = [
  'holt',
  'holt list --all',
  'holt get notes',
  'holt get nots',
  'holt doctor',
  'holt trust --list',
  'holt status notes',
  'holt test notes',
  'holt tools notes',
  'holt call notes.add a=2 b=3',
  'holt resources notes',
  'holt read notes holt://example/otter',
  'holt prompts notes',
  'holt prompt notes introduce',
  'holt policy explain notes.add',
  'holt pin diff notes',
  'holt auth list',
  'holt logout wiki',
  'holt logs notes',
  'holt ps',
  'holt reap',
  'holt config get',
  'holt config get naming --origin',
  'holt config path',
];

/** These change files: each list in its order. */
const changers: readonly (readonly string[])[] = [
  [
    'holt add files --yes -- files-server --root docs',
    'holt disable files',
    'holt enable files',
    'holt remove files',
    'holt undo',
    'holt import --from codex --to cursor --yes notes',
  ],
  ['holt config set naming plain', 'holt config validate'],
];

export interface JsonRun {
  readonly line: string;
  readonly document: unknown;
}

export async function jsonRuns(): Promise<readonly JsonRun[]> {
  await using demo = createDemo();
  // Something for `ps` to show.
  await using host = await openHost({ cwd: demo.project, home: demo.home, env: demo.env });
  await host.connect('notes');
  const ask = async (line: string): Promise<JsonRun> => ({ line, document: await documentOf(line, demo) });
  const looked = await fewAtATime(lookers, ask);
  const changed = await Promise.all(changers.map((lines) => oneByOne(lines, ask)));
  return [...looked, ...changed.flat()];
}

/** A small machine has two cores, and much of a run is waiting. */
async function fewAtATime<Item, Value>(
  items: readonly Item[],
  work: (item: Item) => Promise<Value>,
): Promise<readonly Value[]> {
  const results: Value[] = [];
  for (let at = 0; at < items.length; at += 4)
    results.push(...(await Promise.all(items.slice(at, at + 4).map(work))));
  return results;
}

async function oneByOne<Item, Value>(
  items: readonly Item[],
  work: (item: Item) => Promise<Value>,
): Promise<readonly Value[]> {
  const results: Value[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

async function documentOf(line: string, demo: Demo): Promise<unknown> {
  // Before `--`, what follows belongs to the program that is added.
  const asked = line.includes(' -- ') ? line.replace(' -- ', ' --json -- ') : `${line} --json`;
  const { output } = await demo.run(asked);
  return JSON.parse(output) as unknown;
}

export function jsonPage(runs: readonly JsonRun[]): string {
  const sections = runs.map(({ line, document }) => `## ${line}\n\n\`\`\`json\n${printed(document)}\n\`\`\``);
  const intro =
    'What each command prints with `--json`, as it was printed in a home with three agents’ files. Every document begins with `"schema": 1`; a field that has nothing to say is left out, a list never is. Of long lists one item of each kind is shown. Fields may be added under the same number; none is taken away.';
  return `${['# JSON', note, intro, ...sections].join('\n\n')}\n`;
}

/** Times, numbers of processes and the like are different each time. */
const steady: Readonly<Record<string, unknown>> = {
  ms: 12,
  ageMs: 1200,
  pid: 4711,
  memoryBytes: 52_428_800,
  owner: 4700,
  startedAt: '2026-11-16T10:00:00.000Z',
  at: '2026-11-16T10:00:00.000Z',
};

function printed(document: unknown): string {
  const text = JSON.stringify(
    document,
    (key, value: unknown) => {
      if (key === 'phases')
        return {
          connecting: 9,
          initializing: 2,
          handshaking: 0,
          listing_resources: 1,
          listing_tools: 0,
          listing_prompts: 0,
        };
      if (Array.isArray(value) && value.length > 4) return oneOfEachKind(value);
      const replacement = steady[key];
      return replacement !== undefined && typeof value === typeof replacement ? replacement : value;
    },
    2,
  );
  return text.replaceAll(/sha256:[0-9a-f]{64}/g, `sha256:${'0123456789abcdef'.repeat(4)}`);
}

function oneOfEachKind(items: readonly unknown[]): readonly unknown[] {
  const kinds = new Map<string, unknown>();
  for (const item of items) {
    const kind = JSON.stringify(shapeOf(item));
    if (!kinds.has(kind)) kinds.set(kind, item);
  }
  return [...kinds.values()];
}

/** The documents that a page shows. */
export function documentsIn(page: string): readonly JsonRun[] {
  return [...page.matchAll(/^## (holt.*)\n\n```json\n([^]*?)\n```/gm)].map(([, line = '', text = '']) => ({
    line,
    document: JSON.parse(text) as unknown,
  }));
}

/** Names and types without values. Of a list, the shape of each kind of item. */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return oneOfEachKind(value).map(shapeOf);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]));
  return value === null ? 'null' : typeof value;
}
