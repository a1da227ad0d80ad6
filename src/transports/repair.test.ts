import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { openScripted } from '../../tests/support/scripted-server.ts';
import type { Era } from '../kernel/phases.ts';
import { isBase64 } from './repair/checks.ts';
import { repairMessage } from './repair.ts';
import { cpuMs } from '../../tests/support/cpu-time.ts';

const eras: readonly Era[] = ['stateful', 'stateless'];
const stamps = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
const tool = (name: unknown, more: object = {}) => ({ name, inputSchema: { type: 'object' }, ...more });

function answer(result: unknown): JSONRPCMessage {
  return { jsonrpc: '2.0', id: 1, result } as JSONRPCMessage; // wrong shapes are what it is for
}

function repair(
  method: string,
  result: unknown,
  era: Era = 'stateful',
): { readonly result: unknown; readonly warnings: readonly string[] } {
  const { message, warnings } = repairMessage(answer(result), method, era);
  return {
    result: 'result' in message ? message.result : undefined,
    warnings: warnings.map(({ code, message: text }) => `${code}: ${text}`),
  };
}

describe('a list', () => {
  test('loses its one malformed tool, with a warning', () => {
    const tools = [tool('first'), tool(42), tool(''), null, tool('last')];
    expect(repair('tools/list', { tools })).toEqual({
      result: { tools: [tools[0], tools[4]] },
      warnings: [
        'entry-malformed: tool number 2 left out: name is missing or malformed',
        'entry-malformed: tool number 3 left out: name is missing or malformed',
        'entry-malformed: tool number 4 left out: everything is missing or malformed',
      ],
    });
  });

  test('T118: loses tools whose names begin or end with blanks, which are made visible', () => {
    const tools = [
      tool('delete_branch'),
      tool('delete_branch\u00a0'),
      tool('\u200b a b'),
      tool(' '),
      tool('a b'),
    ];
    for (const era of eras)
      expect(repair('tools/list', { tools, ...stamps }, era)).toEqual({
        result: { tools: [tools[0], tools[4]], ...stamps },
        warnings: ['delete_branch⟨U+00A0⟩', '⟨U+200B⟩⟨U+0020⟩a b', '⟨U+0020⟩'].map(
          (name) => `name-blank: tool "${name}" left out: its name begins or ends with a blank`,
        ),
      });
    const prompts = [{ name: ' x' }];
    expect(repair('prompts/list', { prompts })).toEqual({ result: { prompts }, warnings: [] });
  });

  test.each([
    ['is missing', undefined],
    ['is a text', 'none'],
    ['is null', null],
    ['is of numbers', { type: 'number' }],
  ])('keeps a tool whose input schema %s as one without parameters, with a warning', (_, inputSchema) => {
    const { inputSchema: none, ...bare } = tool('bare');
    const sent = inputSchema === undefined ? bare : { ...bare, inputSchema };
    for (const era of eras)
      expect(repair('tools/list', { tools: [sent], ...stamps }, era)).toEqual({
        result: { tools: [{ ...bare, inputSchema: { ...none, properties: {} } }], ...stamps },
        warnings: [
          'field-malformed: inputSchema of tool "bare" is missing or malformed: taken as one without parameters',
        ],
      });
  });

  test('keeps what can be read of an input schema that is half right, with a warning', () => {
    const properties = { a: { type: 'string' } };
    const tools = [
      tool('untyped', { inputSchema: { properties, required: ['a'] } }),
      tool('nulls', { inputSchema: { type: ['object', 'null'], properties, required: null } }),
    ];
    expect(repair('tools/list', { tools })).toEqual({
      result: {
        tools: [
          tool('untyped', { inputSchema: { type: 'object', properties, required: ['a'] } }),
          tool('nulls', { inputSchema: { type: 'object', properties } }),
        ],
      },
      warnings: ['untyped', 'nulls'].map(
        (name) =>
          `field-malformed: inputSchema of tool "${name}" is malformed: what can be read of it counts`,
      ),
    });
  });

  test('keeps the first of two tools with one name, with a warning', () => {
    const tools = [
      tool('twin', { description: 'one' }),
      tool('twin', { description: 'two' }),
      tool('single'),
    ];
    expect(repair('tools/list', { tools })).toEqual({
      result: { tools: [tools[0], tools[2]] },
      warnings: ['entry-duplicate: tool "twin" is listed more than once; the first is kept'],
    });
  });

  test('of resources keeps two with one name: their addresses differ', () => {
    const resources = [
      { name: 'same', uri: 'a:1' },
      { name: 'same', uri: 'a:2' },
    ];
    expect(repair('resources/list', { resources })).toEqual({ result: { resources }, warnings: [] });
  });

  test('loses malformed fields that it can do without; nulls go without a word', () => {
    const odd = tool('odd', {
      title: null,
      description: 7,
      annotations: { readOnlyHint: 'yes' },
      icons: [{}],
      outputSchema: null,
    });
    expect(repair('tools/list', { tools: [odd], nextCursor: null })).toEqual({
      result: { tools: [tool('odd')] },
      warnings: ['field-malformed: icons, description, annotations of tool "odd" left out: malformed'],
    });
  });

  test('has what the stateless era wants', () => {
    const tools = [tool('one')];
    expect(repair('tools/list', { tools, ttlMs: -1, cacheScope: 'mine' }, 'stateless').result).toEqual({
      tools,
      ...stamps,
    });
    expect(repair('tools/list', { tools }, 'stateful').result).toEqual({ tools });
  });

  test('that is no list stays as it is', () => {
    for (const result of [{}, { tools: 'many' }, [], 'text', null])
      expect(repair('tools/list', result)).toEqual({ result, warnings: [] });
  });

  test('may let a result be any JSON in the stateless era, and only an object before', () => {
    const listed = { tools: [tool('numbers', { outputSchema: { type: 'array' } })] };
    expect(repair('tools/list', { ...listed, ...stamps }, 'stateless')).toEqual({
      result: { ...listed, ...stamps },
      warnings: [],
    });
    expect(repair('tools/list', listed).result).toEqual({ tools: [tool('numbers')] });
  });
});

describe('content', () => {
  test('of an unknown type becomes a note in its place', () => {
    const known = { type: 'text', text: 'known' };
    expect(repair('tools/call', { content: [known, { type: 'hologram', depth: 3 }] })).toEqual({
      result: {
        content: [known, { type: 'text', text: '[content of the unknown type "hologram" was left out]' }],
      },
      warnings: ['content-unknown: content of the unknown type "hologram" was replaced by a note'],
    });
  });

  test('of a known type that is malformed becomes a note too, in prompts as in results', () => {
    const note = { type: 'text', text: '[content of type "image" that is malformed was left out]' };
    const image = { type: 'image', data: 'not base64!', mimeType: 'image/png' };
    expect(repair('tools/call', { content: [image] }).result).toEqual({ content: [note] });
    expect(repair('prompts/get', { messages: [{ role: 'user', content: image }] }).result).toEqual({
      messages: [{ role: 'user', content: note }],
    });
  });

  test('loses malformed annotations, not itself', () => {
    const block = { type: 'text', text: 'fine', annotations: { lastModified: 'yesterday' } };
    expect(repair('tools/call', { content: [block] })).toEqual({
      result: { content: [{ type: 'text', text: 'fine' }] },
      warnings: ['field-malformed: annotations of text content left out: malformed'],
    });
  });

  test('that is missing is none', () => {
    expect(repair('tools/call', { structuredContent: { a: 1 }, isError: null }).result).toEqual({
      structuredContent: { a: 1 },
      content: [],
    });
  });
});

test('what is in order is passed on as the very same object, in both eras', () => {
  const good: readonly [string, object][] = [
    [
      'tools/list',
      {
        tools: [
          tool('a', { title: 'A', annotations: { readOnlyHint: true }, outputSchema: { type: 'object' } }),
        ],
      },
    ],
    [
      'tools/call',
      {
        content: [
          { type: 'text', text: 'x' },
          { type: 'resource_link', uri: 'a:b', name: 'n' },
        ],
        isError: false,
      },
    ],
    ['prompts/get', { messages: [{ role: 'user', content: { type: 'text', text: 'x' } }] }],
    ['ping', {}],
    ['made/up', { anything: 1 }],
  ];
  for (const [method, result] of good) {
    for (const era of eras) {
      const message = answer(era === 'stateless' ? { ...result, ...stamps } : result);
      expect(repairMessage(message, method, era).message).toBe(message);
    }
  }
});

test('questions for the user, errors and notifications are passed on as they are', () => {
  const asks = { resultType: 'input_required', inputRequests: {}, content: 'none' };
  expect(repair('tools/call', asks, 'stateless')).toEqual({ result: asks, warnings: [] });
  const error = { jsonrpc: '2.0', id: 1, error: { code: -1, message: 'no' } } as const;
  expect(repairMessage(error, 'tools/list').message).toBe(error);
});

test.each(eras)('T133: a list of a type that nobody knows is repaired like any other (%s)', (era) => {
  for (const resultType of ['2.0', 'input_required', 7, {}]) {
    const { result } = repair('tools/list', { ...stamps, resultType, tools: [{}, 1, null] }, era);
    expect([resultType, result]).toEqual([resultType, { ...stamps, resultType, tools: [] }]);
  }
});

/** Any JSON, with a good chance of what a field should be. */
const loose = (usual: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 3, arbitrary: usual }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) });
const maybe = (usual: fc.Arbitrary<unknown>) => fc.option(loose(usual), { nil: undefined });
const annotations = fc.record(
  {
    audience: loose(fc.constant(['user'])),
    priority: loose(fc.double()),
    lastModified: loose(
      fc.constantFrom('2026-01-01T00:00:00Z', '2026-13-01T00:00:00Z', '2026-01-01T00:00:00+01:00'),
    ),
  },
  { requiredKeys: [] },
);
const icons = fc.array(
  fc.record({
    src: loose(fc.string()),
    sizes: maybe(fc.constant(['48x48'])),
    theme: maybe(fc.constantFrom('light', 'grey')),
  }),
  { maxLength: 2 },
);
const schema = fc.record(
  {
    type: loose(fc.constant('object')),
    properties: maybe(fc.constant({ a: {} })),
    required: maybe(fc.constant(['a'])),
    $schema: maybe(fc.string()),
  },
  { requiredKeys: ['type'] },
);
const meta = fc.constant({ a: 1 });
const entry = {
  'tools/list': [
    'tools',
    fc.record({
      name: loose(fc.string()),
      title: maybe(fc.string()),
      description: maybe(fc.string()),
      inputSchema: loose(schema),
      outputSchema: maybe(schema),
      annotations: maybe(fc.record({ readOnlyHint: loose(fc.boolean()), title: maybe(fc.string()) })),
      icons: maybe(icons),
      execution: maybe(fc.constant({ taskSupport: 'optional' })),
      _meta: maybe(meta),
    }),
  ],
  'prompts/list': [
    'prompts',
    fc.record({
      name: loose(fc.string()),
      description: maybe(fc.string()),
      arguments: maybe(fc.array(fc.record({ name: loose(fc.string()), required: maybe(fc.boolean()) }))),
      icons: maybe(icons),
    }),
  ],
  'resources/list': [
    'resources',
    fc.record({
      name: loose(fc.string()),
      uri: loose(fc.webUrl()),
      size: maybe(fc.integer()),
      annotations: maybe(annotations),
      mimeType: maybe(fc.string()),
      _meta: maybe(meta),
    }),
  ],
  'resources/templates/list': [
    'resourceTemplates',
    fc.record({
      name: loose(fc.string()),
      uriTemplate: loose(fc.string()),
      annotations: maybe(annotations),
      title: maybe(fc.string()),
    }),
  ],
} as const;
const block = fc.oneof(
  fc.record({
    type: fc.constant('text'),
    text: loose(fc.string()),
    annotations: maybe(annotations),
    _meta: maybe(meta),
  }),
  fc.record({
    type: fc.constantFrom('image', 'audio'),
    data: loose(fc.base64String()),
    mimeType: loose(fc.string()),
    annotations: maybe(annotations),
  }),
  fc.record({
    type: fc.constant('resource_link'),
    uri: loose(fc.string()),
    name: loose(fc.string()),
    size: maybe(fc.integer()),
    icons: maybe(icons),
  }),
  fc.record({
    type: fc.constant('resource'),
    resource: loose(
      fc.record({
        uri: loose(fc.string()),
        text: maybe(fc.string()),
        blob: maybe(fc.base64String()),
        mimeType: maybe(fc.string()),
        _meta: maybe(meta),
      }),
    ),
  }),
  fc.jsonValue({ maxDepth: 2 }),
);
const runs = { numRuns: 150 * Number(process.env['HOLT_TEST_SCALE'] ?? 1) };

describe.each(eras)('whatever a %s server sends', (era) => {
  test.each(Object.entries(entry))(
    'in %s, the SDK can read what is left',
    async (method, [key, arbitrary]) => {
      await using server = await openScripted(era);
      const result = fc.record({
        entries: fc.array(loose(arbitrary), { maxLength: 6 }),
        nextCursor: maybe(fc.string()),
        ttlMs: maybe(fc.integer()),
        cacheScope: maybe(fc.constant('public')),
        _meta: maybe(meta),
      });
      await fc.assert(
        fc.asyncProperty(result, async ({ entries, ...more }) => {
          const sent = JSON.parse(JSON.stringify({ ...more, [key]: entries })) as Record<string, unknown>; // as it comes off the wire
          const read = await server.ask(method, sent);
          const names = (list: unknown) => (list as { readonly name: string }[]).map(({ name }) => name); // entries have names
          const given = (sent[key] as unknown[]).filter(
            (one) => typeof one === 'object' && one !== null && 'name' in one,
          ); // lists of what was sent
          expect(names(given)).toEqual(expect.arrayContaining(names(read[key])));
        }),
        runs,
      );
    },
  );

  test('as content, the SDK can read all of it', async () => {
    await using server = await openScripted(era);
    await fc.assert(
      fc.asyncProperty(fc.array(block, { maxLength: 5 }), maybe(fc.boolean()), async (content, isError) => {
        const sent = JSON.parse(
          JSON.stringify({ content, isError: isError === true ? true : undefined }),
        ) as Record<string, unknown>; // as it comes off the wire
        const read = await server.ask('tools/call', sent);
        expect(read['content']).toHaveLength(content.length);
      }),
      runs,
    );
  });
});

test('Base64 is what atob takes', () => {
  const pieces = fc.constantFrom('A', 'b', '9', '+', '/', '=', ' ', '\n', '-', '_', 'é', '====');
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 9 }), (parts) => {
      const text = parts.join('');
      let taken = true;
      try {
        atob(text);
      } catch {
        taken = false;
      }
      expect([text, isBase64(text)]).toEqual([text, taken]);
    }),
    { numRuns: 2000 },
  );
});

test('costs little: checking a large list takes far less than parsing it', () => {
  const text = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    result: {
      tools: Array.from({ length: 3000 }, (_, index) =>
        tool(`tool-${index}`, {
          description: 'd'.repeat(200),
          inputSchema: {
            type: 'object',
            properties: { a: { type: 'string' }, b: { type: 'number' } },
            required: ['a'],
          },
        }),
      ),
    },
  });
  const message = JSON.parse(text) as JSONRPCMessage; // made above
  const fastest = (work: () => void): number =>
    Math.min(
      ...Array.from({ length: 15 }, () => {
        const from = cpuMs();
        work();
        return cpuMs() - from;
      }),
    );
  const parsing = fastest(() => void JSON.parse(text));
  const repairing = fastest(() => void repairMessage(message, 'tools/list'));
  expect(repairing).toBeLessThan(parsing);
});
