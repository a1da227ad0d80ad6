/**
 * Models that call two tools in one turn and then answer `done`. Where an SDK ships a fake model it is used; otherwise a
 * loopback server answers in the provider's format. `seen()` has what the model was offered and sent, in the SDK's format.
 */

import { createServer } from 'node:http';

const calls = [
  { id: 'call_1', name: 'mcp__notes__draw', args: { colour: 'red' } },
  { id: 'call_2', name: 'mcp__notes__refuse', args: {} },
];

export const fakeModels = {
  'ai-5': () => aiModel('ai-5', 'MockLanguageModelV2'),
  'ai-6': () => aiModel('ai-6', 'MockLanguageModelV3'),
  'ai-7': () => aiModel('ai-7', 'MockLanguageModelV4'),
  mastra: () => aiModel('ai-7', 'MockLanguageModelV4'),
  langchain: langChainModel,
  anthropic: () => provider(anthropicReply, anthropicSeen),
  chat: () => provider(chatReply, chatSeen),
  responses: () => provider(responsesReply, responsesSeen),
  agents: () => provider(responsesReply, responsesSeen),
  gemini: () => provider(geminiReply, geminiSeen),
};

async function aiModel(version, name) {
  const { [name]: Mock, simulateReadableStream } = await import(`${version}/test`);
  const flat = version === 'ai-5';
  const usage = flat
    ? { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
    : {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      };
  const finish = (word) => (flat ? word : { unified: word, raw: undefined });
  const prompts = [];
  const reply = ({ prompt, tools }) => {
    prompts.push({ prompt, tools });
    return prompts.length === 1
      ? {
          content: calls.map(({ id, name: toolName, args }) => ({
            type: 'tool-call',
            toolCallId: id,
            toolName,
            input: JSON.stringify(args),
          })),
          finishReason: finish('tool-calls'),
        }
      : { content: [{ type: 'text', text: 'done' }], finishReason: finish('stop') };
  };
  const chunksOf = ({ content, finishReason }) => [
    { type: 'stream-start', warnings: [] },
    ...content.flatMap((part) =>
      part.type === 'text'
        ? [
            { type: 'text-start', id: '1' },
            { type: 'text-delta', id: '1', delta: part.text },
            { type: 'text-end', id: '1' },
          ]
        : [part],
    ),
    { type: 'finish', finishReason, usage },
  ];
  const model = new Mock({
    doGenerate: async (options) => ({ ...reply(options), usage, warnings: [] }),
    doStream: async (options) => ({ stream: simulateReadableStream({ chunks: chunksOf(reply(options)) }) }),
  });
  const seen = () => ({
    tools: prompts[0]?.tools?.map((tool) => tool.name),
    results: prompts[1]?.prompt.filter(({ role }) => role === 'tool').flatMap(({ content }) => content),
  });
  return { model, seen };
}

async function langChainModel() {
  const { AIMessage, fakeModel } = await import('langchain');
  const model = fakeModel().respondWithTools(calls).respond(new AIMessage('done'));
  const offered = [];
  const bind = model.bindTools.bind(model);
  model.bindTools = (tools, ...rest) => {
    offered.push(...tools.map((tool) => tool.name));
    return bind(tools, ...rest);
  };
  const seen = () => ({
    tools: offered,
    results: model.calls[1]?.messages
      .filter((message) => message.type === 'tool')
      .map(({ content, status }) => ({ content, status })),
  });
  return { model, seen };
}

/** A server on loopback that stands where the provider's API would be. */
async function provider(replyTo, seenIn) {
  const requests = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    requests.push(JSON.parse(body));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(replyTo(requests.length)));
  });
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${server.address().port}`;
  Object.assign(process.env, {
    ANTHROPIC_API_KEY: 'test',
    ANTHROPIC_BASE_URL: url,
    OPENAI_API_KEY: 'test',
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_AGENTS_DISABLE_TRACING: '1',
    GEMINI_API_KEY: 'test',
    GOOGLE_GEMINI_BASE_URL: url,
  });
  return { model: 'test-model', seen: () => seenIn(requests), close: () => server.close() };
}

function anthropicReply(turn) {
  const content =
    turn === 1
      ? calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args }))
      : [{ type: 'text', text: 'done' }];
  const usage = { input_tokens: 1, output_tokens: 1 };
  const stop_reason = turn === 1 ? 'tool_use' : 'end_turn';
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'test-model',
    content,
    stop_reason,
    usage,
  };
}

function anthropicSeen([first, second]) {
  return { tools: first.tools.map(({ name }) => name), results: second.messages.at(-1).content };
}

function chatReply(turn) {
  const tool_calls = calls.map(({ id, name, args }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }));
  const message = turn === 1 ? { content: null, tool_calls } : { content: 'done' };
  const finish_reason = turn === 1 ? 'tool_calls' : 'stop';
  const choices = [{ index: 0, finish_reason, message: { role: 'assistant', refusal: null, ...message } }];
  return { id: 'chat_1', object: 'chat.completion', created: 1, model: 'test-model', choices };
}

function chatSeen([first, second]) {
  return {
    tools: first.tools.map((tool) => tool.function.name),
    results: second.messages.filter(({ role }) => role === 'tool'),
  };
}

function responsesReply(turn) {
  const output =
    turn === 1
      ? calls.map(({ id, name, args }) => ({
          type: 'function_call',
          id: `fc_${id}`,
          call_id: id,
          name,
          arguments: JSON.stringify(args),
          status: 'completed',
        }))
      : [
          {
            type: 'message',
            id: 'msg_1',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: 'done', annotations: [] }],
          },
        ];
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  return { id: `resp_${turn}`, object: 'response', status: 'completed', model: 'test-model', output, usage };
}

function responsesSeen([first, second]) {
  return {
    tools: first.tools.map(({ name }) => name),
    results: second.input.filter(({ type }) => type === 'function_call_output'),
  };
}

function geminiReply(turn) {
  const parts =
    turn === 1
      ? calls.map(({ id, name, args }) => ({ functionCall: { id, name, args } }))
      : [{ text: 'done' }];
  return { candidates: [{ index: 0, finishReason: 'STOP', content: { role: 'model', parts } }] };
}

function geminiSeen([first, second]) {
  return {
    tools: first.tools.flatMap(({ functionDeclarations }) => functionDeclarations.map(({ name }) => name)),
    results: second.contents.at(-1).parts,
  };
}
