/** What counts as a change of a tool, and what becomes of one that changed. */

import type { JSONObject, Tool } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { ServerDefinition } from '../kernel/servers.ts';
import type { PinMode } from '../kernel/servers.ts';
import { createPinReviewer, createPinMemory, pinKeyOf, toolDigest, type PinReviewer } from './pins.ts';

const read: Tool = {
  name: 'read',
  title: 'Read',
  description: 'Reads a file',
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string', description: 'Which' } },
    required: ['path'],
  },
  outputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  annotations: { readOnlyHint: true, title: 'Reader' },
};
const write: Tool = { name: 'write', inputSchema: { type: 'object' } };

function open(): PinReviewer {
  return createPinReviewer({ store: createPinMemory(), now: () => new Date('2026-07-28T10:00:00Z') });
}

function subject(mode: PinMode = 'withhold'): { server: string; key: string; mode: PinMode } {
  return { server: 'fs', key: 'k', mode };
}

async function knowing(...tools: readonly Tool[]): Promise<PinReviewer> {
  const book = open();
  await book.review(subject(), { tools });
  return book;
}

describe('the first listing', () => {
  test.each<PinMode>(['off', 'warn', 'withhold', 'strict'])('is offered whole in mode %s', async (mode) => {
    const book = open();
    expect(await book.review(subject(mode), { tools: [read, write], instructions: 'Be kind' })).toEqual({
      offered: [read, write],
      withheld: [],
      refused: [],
      changed: [],
      instructionsChanged: [],
    });
  });

  test('is remembered, so that the same is offered again without a word', async () => {
    const book = await knowing(read, write);
    expect((await book.review(subject(), { tools: [write, read] })).offered).toEqual([write, read]);
    expect(await book.list()).toEqual([
      {
        key: 'k',
        server: 'fs',
        tools: [
          { tool: 'read', digest: toolDigest(read), first: '2026-07-28', seen: '2026-07-28' },
          { tool: 'write', digest: toolDigest(write), first: '2026-07-28', seen: '2026-07-28' },
        ],
      },
    ]);
  });

  test('of two tools of one name offers the first', async () => {
    const twin = { ...read, description: 'Another' };
    const book = await knowing(read, twin);
    expect((await book.review(subject(), { tools: [read, twin] })).offered).toEqual([read]);
    expect((await book.review(subject(), { tools: [twin, read] })).withheld).toHaveLength(1);
    expect((await book.review(subject('off'), { tools: [read, twin] })).offered).toEqual([read]);
  });
});

describe('a changed tool', () => {
  test.each<readonly [string, Partial<Tool>, readonly string[]]>([
    [
      'description',
      { description: 'Reads any file' },
      ['- description: "Reads a file"', '+ description: "Reads any file"'],
    ],
    ['title', { title: 'Reads' }, ['- title: "Read"', '+ title: "Reads"']],
    [
      'one invisible character',
      { description: 'Reads a\u200b file' },
      ['- description: "Reads a file"', '+ description: "Reads a⟨U+200B⟩ file"'],
    ],
    [
      'a tag character',
      { description: 'Reads a file\u{e0041}' },
      ['- description: "Reads a file"', '+ description: "Reads a file⟨U+E0041⟩"'],
    ],
    [
      'a letter of another script',
      { description: 'Reads а file' },
      ['- description: "Reads a file"', '+ description: "Reads ⟨U+0430⟩ file"'],
    ],
    [
      'an annotation',
      { annotations: { readOnlyHint: false, title: 'Reader' } },
      ['- annotations.readOnlyHint: true', '+ annotations.readOnlyHint: false'],
    ],
    [
      'no annotations',
      { annotations: undefined },
      ['- annotations.readOnlyHint: true', '- annotations.title: "Reader"'],
    ],
    [
      'an input schema',
      {
        inputSchema: {
          type: 'object',
          properties: { path: { type: 'string', description: 'Which' }, to: {} },
        },
      },
      ['- inputSchema.required[0]: "path"', '+ inputSchema.properties.to: {}'],
    ],
    [
      'an output schema',
      { outputSchema: { type: 'object', properties: { text: { type: 'number' } } } },
      ['- outputSchema.properties.text.type: "string"', '+ outputSchema.properties.text.type: "number"'],
    ],
  ])('by %s is withheld with a diff that shows it', async (_what, change, lines) => {
    const book = await knowing(read, write);
    const changed = { ...read, ...change };
    const withheld = [{ server: 'fs', tool: 'read', changes: expect.any(Array) as unknown }];
    const review = await book.review(subject(), { tools: [changed, write] });
    expect(review).toEqual({
      offered: [write],
      withheld,
      refused: [],
      changed: withheld,
      instructionsChanged: [],
    });
    expect(review.withheld[0]?.changes.toSorted()).toEqual(lines.toSorted());
  });

  test('whose texts only look the same is spelled out', async () => {
    const book = await knowing({ ...read, description: 'café ❤' }, { ...write, description: '❤\ufe0f' });
    const tools = [
      { ...read, description: 'cafe\u0301 ❤' },
      { ...write, description: '❤' },
    ];
    const { withheld } = await book.review(subject(), { tools });
    expect(withheld.map(({ changes }) => changes)).toEqual([
      ['- description: "caf⟨U+00E9⟩ ⟨U+2764⟩"', '+ description: "cafe⟨U+0301⟩ ⟨U+2764⟩"'],
      ['- description: "⟨U+2764⟩⟨U+FE0F⟩"', '+ description: "⟨U+2764⟩"'],
    ]);
  });

  test('in the middle of a long text is shown with what is around it, and what is left out is counted', async () => {
    const long = 'x'.repeat(5000);
    const book = await knowing({ ...read, description: `${long}${long}` });
    const { withheld } = await book.review(subject(), {
      tools: [{ ...read, description: `${long}${'y'.repeat(4000)}${long}` }],
    });
    const around = 'x'.repeat(60);
    expect(withheld[0]?.changes).toEqual([
      `- description: …${around}${around}…`,
      `+ description: …${around}${'y'.repeat(1940)}… (2120 more characters)…`,
    ]);
  });

  test('cannot put lines of its own into the diff', async () => {
    const book = await knowing(read);
    const inputSchema = { type: 'object' as const, properties: { 'a\n+ fine: "\u001b[2K': {} } };
    const { withheld } = await book.review(subject(), { tools: [{ ...read, inputSchema }] });
    expect(withheld[0]?.changes.every((line) => !/[\n\u001b]/.test(line))).toBe(true);
  });

  test('is only told of in mode warn, at every listing, and not even that in mode off', async () => {
    const book = await knowing(read);
    const changed = { ...read, description: 'Else' };
    for (let round = 0; round < 2; round += 1) {
      const { offered, withheld, changed: told } = await book.review(subject('warn'), { tools: [changed] });
      expect([offered, withheld, told.map(({ tool }) => tool)]).toEqual([[changed], [], ['read']]);
    }
    expect((await book.review(subject('off'), { tools: [changed] })).changed).toEqual([]);
    expect((await book.review(subject(), { tools: [changed] })).offered).toEqual([]);
  });

  test('that was removed and brought back is still a changed one', async () => {
    const book = await knowing(read, write);
    await book.review(subject(), { tools: [write] });
    await book.review(subject(), { tools: [] });
    expect((await book.review(subject(), { tools: [{ ...read, title: 'X' }] })).offered).toEqual([]);
    expect((await book.review(subject(), { tools: [read] })).offered).toEqual([read]);
  });

  test('T128: too deep to be compared is refused as such in every mode, never offered and never accepted', async () => {
    let deep: JSONObject = {};
    for (let level = 0; level < 20_000; level += 1) deep = { items: deep };
    const tool: Tool = { name: 'deep', inputSchema: { type: 'object', properties: deep } };
    const reason = 'its inputSchema is nested more than 500 levels deep';
    for (const mode of ['withhold', 'strict', 'warn', 'off'] as const) {
      const book = open();
      await book.review(subject(mode), { tools: [write] });
      expect(await book.review(subject(mode), { tools: [tool, write] })).toEqual({
        offered: [write],
        withheld: [],
        refused: [{ server: 'fs', tool: 'deep', reason }],
        changed: [],
        instructionsChanged: [],
      });
      expect(await book.accept('k', { tools: [tool] })).toEqual([]);
    }
  });
});

describe('what is no change', () => {
  test('keys of JSON in another order', async () => {
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.integer(),
        fc.boolean(),
        tie('object'),
        fc.array(tie('value'), { maxLength: 3 }),
      ),
      object: fc.dictionary(fc.string({ maxLength: 4 }), tie('value'), { maxKeys: 5 }),
    }));
    await fc.assert(
      fc.asyncProperty(json.object, async (properties) => {
        const inputSchema = { type: 'object', properties } as Tool['inputSchema']; // any JSON will do here
        const reversed = reverseKeys({ ...read, inputSchema }) as Tool; // the same tool
        const book = await knowing({ ...read, inputSchema });
        expect((await book.review(subject(), { tools: [reversed] })).offered).toEqual([reversed]);
      }),
      { numRuns: 100 },
    );
  });

  test('icons and other fields that are not pinned', async () => {
    const book = await knowing(read);
    const other: Tool = { ...read, icons: [{ src: 'https://x.test/i.png' }], _meta: { a: 1 } };
    expect((await book.review(subject(), { tools: [other] })).offered).toEqual([other]);
  });
});

function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, inner]: [string, unknown]) => [key, reverseKeys(inner)] as const)
      .toReversed(),
  );
}

describe('new tools of a known server', () => {
  test('are offered and pinned', async () => {
    const book = await knowing(read);
    expect((await book.review(subject(), { tools: [read, write] })).offered).toEqual([read, write]);
    expect((await book.review(subject(), { tools: [{ ...write, title: 'X' }] })).offered).toEqual([]);
  });

  test('are withheld in mode strict, until they are accepted', async () => {
    const book = await knowing(read);
    const { offered, withheld } = await book.review(subject('strict'), { tools: [read, write] });
    expect([offered, withheld]).toEqual([
      [read],
      [
        {
          server: 'fs',
          tool: 'write',
          changes: ['it is new', '+ inputSchema.type: "object"', '+ name: "write"'],
        },
      ],
    ]);
    await book.accept('k', { tools: [read, write] }, 'write');
    expect((await book.review(subject('strict'), { tools: [read, write] })).offered).toEqual([read, write]);
  });

  test('of a server that offered nothing at first are new ones too', async () => {
    const book = await knowing();
    expect((await book.review(subject('strict'), { tools: [write] })).offered).toEqual([]);
    expect((await book.review(subject(), { tools: [write] })).offered).toEqual([write]);
  });
});

describe('accepting', () => {
  const changed = [
    { ...read, title: 'X' },
    { ...write, title: 'Y' },
  ];

  test('takes one tool, or all of them, and gives what was accepted', async () => {
    const book = await knowing(read, write);
    expect(await book.accept('k', { tools: changed }, 'read')).toEqual([
      { server: 'fs', tool: 'read', changes: ['- title: "Read"', '+ title: "X"'] },
    ]);
    expect((await book.review(subject(), { tools: changed })).offered).toEqual([changed[0]]);
    expect((await book.accept('k', { tools: changed })).map(({ tool }) => tool)).toEqual(['write']);
    expect((await book.review(subject(), { tools: changed })).offered).toEqual(changed);
    expect(await book.accept('k', { tools: changed })).toEqual([]);
    expect((await book.review(subject(), { tools: [read] })).offered).toEqual([]);
  });

  test('of a name that is not there takes nothing', async () => {
    const book = await knowing(read);
    expect(await book.accept('k', { tools: changed }, 'gone')).toEqual([]);
    expect((await book.review(subject(), { tools: changed })).withheld.map(({ tool }) => tool)).toEqual([
      'read',
    ]);
  });
});

describe('a review is stale', () => {
  const changed = { ...read, description: 'Reads all' };

  test('once somebody else has accepted something, until it is made again', async () => {
    const store = createPinMemory();
    const openBook = (): PinReviewer =>
      createPinReviewer({ store, now: () => new Date('2026-07-28T10:00:00Z') });
    const [here, elsewhere] = [openBook(), openBook()];
    await elsewhere.review(subject(), { tools: [read] });
    await here.review(subject(), { tools: [changed] });
    expect(await here.isStale(subject())).toBe(false);
    await elsewhere.accept('k', { tools: [changed] });
    expect(await here.isStale(subject())).toBe(true);
    expect((await here.review(subject(), { tools: [changed] })).offered).toEqual([changed]);
    expect(await here.isStale(subject())).toBe(false);
  });

  test('once the server is pinned in another way, and never while pins are off or cannot be read', async () => {
    const store = createPinMemory();
    let fails = false;
    const load: typeof store.load = () => (fails ? Promise.reject(new Error('no')) : store.load());
    const book = createPinReviewer({
      store: { ...store, load },
      now: () => new Date('2026-07-28T10:00:00Z'),
    });
    await book.review(subject('off'), { tools: [read] });
    expect([await book.isStale(subject('off')), await book.isStale(subject())]).toEqual([false, true]);
    fails = true;
    await book.review(subject(), { tools: [read] });
    expect(await book.isStale(subject())).toBe(false);
    fails = false;
    expect(await book.isStale(subject())).toBe(true);
  });
});

describe('instructions', () => {
  test('that changed are told, also after they were gone, until all of the server is accepted', async () => {
    const book = open();
    const offer = (instructions?: string): { tools: Tool[]; instructions?: string } => ({
      tools: [read],
      ...(instructions === undefined ? {} : { instructions }),
    });
    await book.review(subject(), offer('Be kind'));
    const lines = ['- instructions: Be kind', '+ instructions: Be kin\u0064er'];
    expect((await book.review(subject(), offer())).instructionsChanged).toEqual([]);
    expect((await book.review(subject(), offer('Be kinder'))).instructionsChanged).toEqual(lines);
    await book.accept('k', offer('Be kinder'), 'read');
    expect((await book.review(subject(), offer('Be kinder'))).instructionsChanged).toEqual(lines);
    await book.accept('k', offer('Be kinder'));
    expect((await book.review(subject(), offer('Be kinder'))).instructionsChanged).toEqual([]);
  });
});

describe('tools from a cache', () => {
  test('count only when they are just what was accepted, where pins protect them', async () => {
    const book = await knowing(read);
    const tools = [
      { name: 'read', digest: toolDigest(read) },
      { name: 'write', digest: toolDigest(write) },
    ];
    const other = [{ name: 'read', digest: toolDigest({ ...read, title: 'X' }) }];
    expect(await book.stillPinned({ key: 'k', mode: 'withhold' }, tools)).toEqual(tools.slice(0, 1));
    expect(await book.stillPinned({ key: 'k', mode: 'strict' }, other)).toEqual([]);
    expect(await book.stillPinned({ key: 'other', mode: 'withhold' }, tools)).toEqual([]);
    expect(await book.stillPinned({ key: 'k', mode: 'off' }, tools)).toEqual(tools);
  });
});

describe('which server it is', () => {
  const origin = {
    agent: 'claude-code',
    scope: 'user',
    file: '/home/ada/.claude.json',
    line: 1,
    column: 1,
  } as const;
  const definition: ServerDefinition = {
    name: 'fs',
    launch: { kind: 'stdio', command: 'npx', args: ['x@1'], env: {}, envFrom: {} },
    enabled: true,
    timeouts: {},
    dialect: 'claude',
    origin,
    guarded: false,
    parts: [origin],
    alsoIn: [],
  };
  const remote = { kind: 'http', url: 'https://x.test', headers: {}, headersFrom: {} } as const;

  test('goes by name and place, whatever it runs', () => {
    const key = pinKeyOf(definition);
    expect(pinKeyOf({ ...definition, launch: remote, origin: { ...origin, line: 9 } })).toBe(key);
    expect(pinKeyOf({ ...definition, name: 'other' })).not.toBe(key);
    expect(pinKeyOf({ ...definition, origin: { ...origin, file: '/srv/.mcp.json' } })).not.toBe(key);
    expect(pinKeyOf({ ...definition, origin: { ...origin, scope: 'project' } })).not.toBe(key);
  });

  test('goes by what it runs where it has no place', () => {
    const runtime = { ...definition, origin: { ...origin, scope: 'runtime', file: '' } } as const;
    expect(pinKeyOf({ ...runtime, launch: remote })).not.toBe(pinKeyOf(runtime));
    const other = { ...definition.launch, env: { TOKEN: 'x' } } as ServerDefinition['launch']; // a stdio launch
    expect(pinKeyOf({ ...runtime, launch: other })).toBe(pinKeyOf(runtime));
  });
});
