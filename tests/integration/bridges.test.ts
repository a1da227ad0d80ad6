/** Bridges: our tools in the words of other libraries, against a real server. */

import { generateText, stepCountIs } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { serversFromAcp } from '../../src/bridges/acp.ts';
import { toAiTools } from '../../src/bridges/ai-sdk.ts';
import { toAnthropicTools } from '../../src/bridges/anthropic.ts';
import { toGeminiTools } from '../../src/bridges/gemini.ts';
import { toLangChainTools } from '../../src/bridges/langchain.ts';
import { toChatTools, toResponsesTools } from '../../src/bridges/openai.ts';
import type { Host } from '../../src/host/host.ts';
import { openHostFixture, type HostFixture } from '../support/host-fixture.ts';

let fixture: HostFixture;
let host: Host;

beforeEach(async () => {
  fixture = await openHostFixture();
  host = await fixture.open({
    servers: { art: fixture.program('returns-image') },
    policy: { default: 'allow', deny: ['mcp__art__secret'] },
  });
});
afterEach(() => fixture[Symbol.asyncDispose]());

const png = expect.stringMatching(/^iVBOR/) as unknown as string; // vitest matchers have no type of their own
const offered = ['mcp__art__draw', 'mcp__art__refuse', 'mcp__art__wait'];

describe('the AI SDK', () => {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  /** Calls the tool first, then says what it was told. */
  const modelThatCalls = (toolName: string, input: object): MockLanguageModelV3 => {
    let step = 0;
    return new MockLanguageModelV3({
      doGenerate: () => {
        step += 1;
        return Promise.resolve(
          step === 1
            ? {
                content: [
                  { type: 'tool-call' as const, toolCallId: 'c1', toolName, input: JSON.stringify(input) },
                ],
                finishReason: { unified: 'tool-calls' as const, raw: undefined },
                usage,
                warnings: [],
              }
            : {
                content: [{ type: 'text' as const, text: 'done' }],
                finishReason: { unified: 'stop' as const, raw: undefined },
                usage,
                warnings: [],
              },
        );
      },
    });
  };

  test('runs a loop: the model calls a tool of ours and is shown the picture', async () => {
    const model = modelThatCalls('mcp__art__draw', { colour: 'red', size: '1' });
    const { text } = await generateText({
      model,
      tools: await toAiTools(host),
      prompt: 'draw',
      stopWhen: stepCountIs(3),
    });

    expect(text).toBe('done');
    expect(model.doGenerateCalls[0]?.tools?.map(({ name }) => name)).toEqual(offered);
    expect(model.doGenerateCalls[1]?.prompt.at(-1)).toMatchObject({
      role: 'tool',
      content: [
        {
          toolName: 'mcp__art__draw',
          output: {
            type: 'content',
            value: [
              { type: 'text', text: expect.stringMatching(/^a red pixel/) },
              { mediaType: 'image/png', data: png },
            ],
          },
        },
      ],
    });
  });

  test('an image has the form of the version that runs the tool', async () => {
    const tool = (await toAiTools(host))['mcp__art__draw'];
    if (tool === undefined) throw new Error('The tool is not offered.');
    const { execute, toModelOutput } = tool;
    const call = { toolCallId: 'c1', input: {} };

    const output = await execute({ colour: 'red' }, {});
    const data = output.attachments[0]?.data;
    const outputOf = (given: unknown): unknown => toModelOutput(given);
    expect(outputOf(output)).toMatchObject({ value: [{}, { type: 'media', data, mediaType: 'image/png' }] });
    expect(outputOf({ ...call, output })).toMatchObject({
      value: [{}, { type: 'image-data', data, mediaType: 'image/png' }],
    });

    const options = { abortSignal: undefined, context: undefined }; // only version 7 passes one
    const newest = await execute({ colour: 'red' }, options);
    expect(outputOf({ ...call, output: newest })).toMatchObject({
      value: [{}, { type: 'file', data: { type: 'data', data }, mediaType: 'image/png' }],
    });
  });

  test('returns a tool error to the model', async () => {
    const model = modelThatCalls('mcp__art__refuse', {});
    await generateText({ model, tools: await toAiTools(host), prompt: 'x', stopWhen: stepCountIs(3) });

    expect(model.doGenerateCalls[1]?.prompt.at(-1)).toMatchObject({
      content: [{ output: { type: 'error-text', value: 'Error: I will not' } }],
    });
  });

  test('cancels a tool call when the loop is aborted', async () => {
    const stop = new AbortController();
    const tools = await toAiTools(host);
    const called = new Promise<void>((resolve) => {
      host.on('mcp.phase', ({ to }) => {
        if (to === 'executing') resolve();
      });
    });
    const loop = generateText({
      model: modelThatCalls('mcp__art__wait', {}),
      tools,
      prompt: 'x',
      stopWhen: stepCountIs(3),
      abortSignal: stop.signal,
    });
    const ended = new Promise<boolean>((resolve) => {
      host.on('mcp.tool.called', ({ ok }) => resolve(ok));
    });
    await called;
    stop.abort();

    expect(await ended).toBe(false);
    await loop.catch(() => undefined);
  });

  test('objects are closed, as the SDK wants them', async () => {
    const tools = await toAiTools(host, { builtIn: false });

    expect(tools['mcp__art__draw']?.inputSchema.jsonSchema).toMatchObject({
      type: 'object',
      additionalProperties: false,
      properties: { colour: { type: 'string' }, size: { type: 'integer' } },
    });
  });

  test('a tool that a server adds later is there', async () => {
    const changing = await fixture.open({
      servers: { one: fixture.program('changes-tool-list') },
      policy: { default: 'allow' },
    });
    const tools = await toAiTools(changing, { builtIn: false });
    const before = Object.keys(tools);
    const changed = new Promise<void>((resolve) => {
      changing.on('mcp.tools.changed', () => resolve());
    });
    await changing.call('mcp__one__change').catch(() => undefined);
    await changed;
    await expect.poll(() => Object.keys(tools)).not.toEqual(before);
  });
});

describe('recorded calls of models are answered in the words of', () => {
  test('OpenAI’s chat completions', async () => {
    const { tools, dispatch } = await toChatTools(host, { builtIn: false });

    expect(tools.map((tool) => tool.function.name)).toEqual(offered);
    expect(
      await dispatch({
        id: 'call_1',
        type: 'function',
        function: { name: 'mcp__art__draw', arguments: '{"colour":"blue","size":"2"}' },
      }),
    ).toEqual({
      role: 'tool',
      tool_call_id: 'call_1',
      content: expect.stringMatching(/^a blue pixel/),
    });
  });

  test('OpenAI’s responses, strictly', async () => {
    const { tools, dispatch } = await toResponsesTools(host, { builtIn: false, strict: true });

    expect(tools[0]).toMatchObject({
      type: 'function',
      name: 'mcp__art__draw',
      strict: true,
      parameters: { additionalProperties: false, required: ['colour', 'size'] },
    });
    expect(
      await dispatch({
        type: 'function_call',
        call_id: 'c1',
        name: 'mcp__art__draw',
        arguments: '{"colour":"red","size":null}',
      }),
    ).toMatchObject({
      type: 'function_call_output',
      call_id: 'c1',
      output: [
        { type: 'input_text' },
        { type: 'input_image', image_url: expect.stringMatching(/^data:image\/png;base64,iVBOR/) as unknown },
      ],
    });
  });

  test('Anthropic', async () => {
    const { tools, dispatch } = await toAnthropicTools(host, { builtIn: false });

    expect(tools[0]).toMatchObject({ name: 'mcp__art__draw', input_schema: { type: 'object' } });
    expect(
      await dispatch({ type: 'tool_use', id: 't1', name: 'mcp__art__draw', input: { colour: 'red' } }),
    ).toMatchObject({
      type: 'tool_result',
      tool_use_id: 't1',
      content: [{ type: 'text' }, { type: 'image', source: { media_type: 'image/png', data: png } }],
    });
    expect(await dispatch({ id: 't2', name: 'mcp__art__refuse', input: {} })).toEqual({
      type: 'tool_result',
      tool_use_id: 't2',
      content: [{ type: 'text', text: 'Error: I will not' }],
      is_error: true,
    });
  });

  test('Gemini', async () => {
    const { tools, dispatch } = await toGeminiTools(host, { builtIn: false });

    expect(tools[0]?.functionDeclarations.map(({ name }) => name)).toEqual(offered);
    expect(tools[0]?.functionDeclarations[0]).toMatchObject({
      parametersJsonSchema: { properties: { colour: { type: 'string' } } },
    });
    expect(await dispatch({ id: 'f1', name: 'mcp__art__draw', args: { colour: 'red' } })).toMatchObject({
      functionResponse: {
        id: 'f1',
        name: 'mcp__art__draw',
        response: { output: expect.stringMatching(/^a red pixel/) as unknown },
        parts: [{ inlineData: { mimeType: 'image/png', data: png } }],
      },
    });
  });

  test('LangChain', async () => {
    const tools = await toLangChainTools(host, { builtIn: false });

    expect(tools.map(({ name }) => name)).toEqual(offered);
    const [draw, refuse, wait] = tools;
    expect(draw).toMatchObject({ responseFormat: 'content_and_artifact', schema: { type: 'object' } });
    expect(await draw?.func({ colour: 'red' })).toMatchObject([
      [
        { type: 'text', text: expect.stringMatching(/^a red pixel/) as unknown },
        {
          type: 'image_url',
          image_url: { url: expect.stringMatching(/^data:image\/png;base64,iVBOR/) as unknown },
        },
      ],
      { ok: true, server: 'art' },
    ]);
    await expect(refuse?.func({})).rejects.toThrow(/^I will not$/);

    const stop = new AbortController();
    host.on('mcp.phase', ({ to }) => {
      if (to === 'executing') stop.abort();
    });
    await expect(wait?.func({}, undefined, { signal: stop.signal })).rejects.toMatchObject({
      name: 'ToolAborted',
    });
  });

  test('every bridge refuses a tool that is denied or unknown, and invalid arguments', async () => {
    const { dispatch } = await toAnthropicTools(host);
    for (const [name, input] of [
      ['mcp__art__secret', {}],
      ['mcp__art__none', {}],
      ['mcp__art__draw', { colour: 7, size: [] }],
      ['mcp__art__draw', 'not an object'],
    ] as const) {
      expect(await dispatch({ id: 'x', name, input })).toMatchObject({ is_error: true });
    }
  });

  test('every bridge rejects when the call is aborted', async () => {
    const stop = new AbortController();
    const { dispatch } = await toGeminiTools(host);
    host.on('mcp.phase', ({ to }) => {
      if (to === 'executing') stop.abort();
    });
    const answer = dispatch({ name: 'mcp__art__wait' }, { signal: stop.signal });

    await expect(answer).rejects.toMatchObject({ name: 'ToolAborted' });
  });
});

test('search replaces all tools with three, and a denied tool can be neither found nor called', async () => {
  const { tools, dispatch } = await toAnthropicTools(host, { search: true, builtIn: false });

  expect(tools.map(({ name }) => name)).toEqual(['search_tools', 'describe_tool', 'call_tool']);
  const found = await dispatch({ id: '1', name: 'search_tools', input: { query: 'draw' } });
  expect(JSON.stringify(found)).toContain('mcp__art__draw');
  const secret = await dispatch({ id: '2', name: 'search_tools', input: { query: 'secret' } });
  expect(JSON.stringify(secret)).not.toContain('mcp__art__secret');
  expect(
    await dispatch({ id: '3', name: 'call_tool', input: { name: 'mcp__art__secret', arguments: {} } }),
  ).toMatchObject({ is_error: true });
  expect(
    await dispatch({
      id: '4',
      name: 'call_tool',
      input: { name: 'mcp__art__draw', arguments: { colour: 'green' } },
    }),
  ).toMatchObject({ content: [{ text: expect.stringContaining('a green pixel') as unknown }, {}] });
});

test('servers of an ACP session become servers of the host', async () => {
  const { command, args } = fixture.program('echo');
  const servers = serversFromAcp([
    { name: 'local', command, args, env: [{ name: 'A', value: 'a${HOME}b ${NOPE} $HOME {env:HOME}' }] },
    { name: 'My notes', command, args, env: [{ name: 'A', value: '!echo run' }] },
    {
      type: 'http',
      name: 'far',
      url: 'https://example.test/mcp',
      headers: [{ name: 'X', value: '${NOPE}' }],
    },
  ]);
  const session = await fixture.open({ servers, policy: { default: 'allow' } });

  expect(session.definitions().map(({ name, origin }) => [name, origin.scope])).toEqual([
    ['My_notes', 'runtime'],
    ['far', 'runtime'],
    ['local', 'runtime'],
  ]);
  expect(session.problems()).toEqual([]);
  const textOf = async (server: string): Promise<string> =>
    (await session.call(`mcp__${server}__environment`, { name: 'A' })).text;
  expect([await textOf('local'), await textOf('My_notes')]).toEqual([
    'a${HOME}b ${NOPE} $HOME {env:HOME}',
    '!echo run',
  ]);
  expect(() =>
    serversFromAcp([
      { name: 'a', command },
      { name: 'a', command },
    ]),
  ).toThrow('two servers are named "a"');
});
