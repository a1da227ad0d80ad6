/** What a server sends, over each transport: to a call, and while it starts and is listed. */

import { writeFileSync } from 'node:fs';
import path from 'node:path';

import fc from 'fast-check';

import type { Host } from '../../../src/host/host.ts';
import { HoltError } from '../../../src/kernel/errors.ts';
import { openHostFixture } from '../../support/host-fixture.ts';
import { startFixture } from '../../support/remote-fixture.ts';
import { damaged, damages, type Damage } from '../inputs/damage.ts';
import { anyRecipe, raw, write, type Recipe } from '../inputs/json-recipe.ts';
import { asTarget, BrokenPromise, type AnyTarget, type PreparedCase } from '../target.ts';

type Transport = 'stdio' | 'http' | 'sse';

const startMethods = [
  'initialize',
  'server/discover',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'prompts/list',
  'notifications/initialized',
];
const words = [
  '2.0',
  '$ID',
  'jsonrpc',
  'id',
  'method',
  'params',
  'result',
  'error',
  'code',
  'message',
  'data',
  'content',
  'type',
  'text',
  'image',
  'resource',
  'resource_link',
  'uri',
  'mimeType',
  'structuredContent',
  'isError',
  '_meta',
  'resultType',
  'complete',
  'input_required',
  'ttlMs',
  'tools',
  'name',
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
  'properties',
  'object',
  'echo',
  'nextCursor',
  'resources',
  'resourceTemplates',
  'uriTemplate',
  'prompts',
  'arguments',
  'messages',
  'role',
  'protocolVersion',
  '2025-11-25',
  '2026-07-28',
  'supportedVersions',
  'capabilities',
  'serverInfo',
  'version',
  'instructions',
  'progressToken',
  'progress',
  'requestId',
  'task',
  'taskId',
  'inputRequests',
  'notifications/progress',
  'notifications/message',
  'notifications/cancelled',
  'notifications/tools/list_changed',
  'notifications/resources/updated',
  'elicitation/create',
  'sampling/createMessage',
  'roots/list',
  'ping',
  'https://x.test',
];
/** What separates events of a stream and lines of a program. */
const separators = [
  '\n',
  '\r',
  '\n\n',
  'data: ',
  'event: ',
  'event: message\n',
  'event: endpoint\n',
  'id: 1\n',
  'retry: 1\n',
  ':\n',
  '\ndata:',
];

interface Frame {
  readonly recipe: Recipe;
  readonly damage: readonly Damage[];
  /** Into how many writes it is divided. */
  readonly pieces: number;
}

interface FrameCase {
  /** What the frames answer; undefined for a call of a tool. */
  readonly start: string | undefined;
  readonly frames: readonly Frame[];
  readonly status: number;
  readonly type: string;
}

const anything = anyRecipe(words);
const id: fc.Arbitrary<Recipe> = fc.oneof(
  { weight: 5, arbitrary: fc.constant(raw('$ID')) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      raw(null),
      raw(0),
      raw(-1),
      raw(1.5),
      raw(''),
      raw('x'),
      { raw: '1e999' },
      { list: [] },
    ),
  },
);
const message: fc.Arbitrary<Recipe> = fc
  .tuple(
    id,
    fc.constantFrom('result', 'error', 'params', 'method'),
    anything,
    fc.array(fc.tuple(fc.constantFrom('id', 'result', 'error', 'method', 'params', 'jsonrpc'), anything), {
      maxLength: 2,
    }),
  )
  .map(([number, key, value, more]) => ({
    fields: [['jsonrpc', raw('2.0')], ['id', number], [key, value], ...more] as const,
  }));
/** Right but for its values. */
const result: fc.Arbitrary<Recipe> = fc
  .tuple(
    fc.array(
      fc.tuple(
        fc.constantFrom(
          'content',
          'structuredContent',
          'tools',
          'resources',
          'prompts',
          'nextCursor',
          'capabilities',
          'protocolVersion',
          'serverInfo',
          'isError',
          '_meta',
          'resultType',
          'task',
        ),
        anything,
      ),
      { maxLength: 4 },
    ),
    fc.array(
      fc.array(
        fc.tuple(
          fc.constantFrom(
            'type',
            'text',
            'data',
            'name',
            'inputSchema',
            'outputSchema',
            'uri',
            'description',
          ),
          anything,
        ),
        { maxLength: 4 },
      ),
      { maxLength: 3 },
    ),
    fc.constantFrom('content', 'tools', 'resources', 'prompts'),
  )
  .map(([fields, entries, list]) => ({
    fields: [
      ['jsonrpc', raw('2.0')],
      ['id', raw('$ID')],
      ['result', { fields: [...fields, [list, { list: entries.map((entry) => ({ fields: entry })) }]] }],
    ] as const,
  }));

const frame: fc.Arbitrary<Frame> = fc.record({
  recipe: fc.oneof(
    { weight: 4, arbitrary: message },
    { weight: 4, arbitrary: result },
    { weight: 1, arbitrary: anything },
  ),
  damage: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, damages(2, [...words, ...separators])),
  pieces: fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, fc.integer({ min: 2, max: 40 })),
});

/** A start takes many times as long as a call. */
const inputs = (transport: Transport): fc.Arbitrary<FrameCase> =>
  fc.record({
    start: fc.oneof(
      { weight: transport === 'stdio' ? 20 : 3, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom(...startMethods) },
    ),
    frames: fc.array(frame, { minLength: 1, maxLength: 3 }),
    status: fc.oneof(
      { weight: 8, arbitrary: fc.constant(200) },
      fc.constantFrom(201, 202, 204, 400, 403, 404, 405, 429, 500, 503),
    ),
    type: fc.oneof(
      { weight: 4, arbitrary: fc.constant('text/event-stream') },
      fc.constantFrom(
        'application/json',
        'application/json; charset=utf-16',
        'text/html',
        'text/event-stream; x',
        'x',
      ),
    ),
  });

function wrap(text: string, transport: Transport, type: string): string {
  if (transport === 'stdio') return `${text}\n`;
  return transport === 'sse' || type.startsWith('text/event-stream')
    ? `event: message\ndata: ${text}\n\n`
    : text;
}

function split(text: string, pieces: number): readonly string[] {
  const size = Math.max(1, Math.ceil(text.length / pieces));
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
    text.slice(at * size, (at + 1) * size),
  );
}

const server = 'fuzzed';
const tool = `mcp__${server}__echo`;
const callMs = 2000;
/** A start on a machine that is busy with other things takes a second. */
const startLimitMs = 8000;

/** Results say what went wrong; a rejection is an error of holt's own. */
async function settle(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!HoltError.is(error)) throw error;
  }
}

interface Scene {
  readonly host: Host;
  readonly setScript: (script: object) => void;
}

async function play(
  { start, status, type }: FrameCase,
  chunks: readonly string[],
  { host, setScript }: Scene,
): Promise<void> {
  const method = start ?? 'tools/call';
  setScript({ on: { [method]: chunks }, status, type });
  if (start !== undefined) {
    await host.disconnect(server);
    await settle(host.connect(server));
    await settle(host.tools({ server }));
    await settle(host.resources({ server }));
    await settle(host.prompts({ server }));
  }
  await settle(host.call(tool, { text: 'x' }, { timeoutMs: callMs }));
  setScript({});
  if (host.status()[server]?.status === 'connected' && start === undefined) return;
  await host.disconnect(server);
  const after = await host.connect(server);
  if (after.status !== 'connected')
    throw new BrokenPromise(`the server cannot be connected any more: ${JSON.stringify(after)}`);
}

function framesOver(transport: Transport): AnyTarget {
  return asTarget<FrameCase>({
    name: `frames-${transport}`,
    inputs: inputs(transport),
    open: async () => {
      const fixture = await openHostFixture();
      const script = path.join(fixture.home, 'script.json');
      const setScript = (content: object): void => writeFileSync(script, JSON.stringify(content));
      setScript({});
      const remote =
        transport === 'stdio' ? undefined : await startFixture('scripted-responses', transport, script);
      const config =
        remote === undefined
          ? fixture.program('scripted-responses', transport, script)
          : ({ type: transport === 'sse' ? 'sse' : 'http', url: remote.url } as const);
      const timeouts = { startMs: startLimitMs };
      const servers = { [server]: config };
      const host = await fixture.open({ policy: { default: 'allow' }, pinning: 'off', servers, timeouts });
      await host.connect();
      return {
        prepare: (value): PreparedCase => {
          const texts = value.frames.map(({ recipe, damage }) =>
            wrap(damaged(write(recipe), damage), transport, value.type),
          );
          const chunks = texts.flatMap((text, at) => split(text, value.frames[at]?.pieces ?? 1));
          return { text: texts.join(''), run: () => play(value, chunks, { host, setScript }) };
        },
        [Symbol.asyncDispose]: async () => {
          await fixture[Symbol.asyncDispose]();
          await remote?.[Symbol.asyncDispose]();
        },
      };
    },
  });
}

export const frames: readonly AnyTarget[] = [framesOver('stdio'), framesOver('http'), framesOver('sse')];
