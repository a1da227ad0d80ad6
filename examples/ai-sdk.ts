/** An agent in a few lines, with the Vercel AI SDK. The model here is a stand-in that always wants to add two numbers. */

import { fileURLToPath } from 'node:url';

import { generateText, stepCountIs } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { openHost } from 'holt';
import { toAiTools } from 'holt/ai-sdk';

const server = fileURLToPath(new URL('example-server/server.js', import.meta.resolve('holt')));
await using host = await openHost({
  agents: [],
  servers: { example: { command: process.execPath, args: [server] } },
  policy: { allow: ['mcp__example'] },
});

const { steps } = await generateText({
  model: standIn(),
  tools: await toAiTools(host),
  stopWhen: stepCountIs(5),
  prompt: 'What is 2 + 3?',
});

const [answer] = steps.flatMap(({ toolResults }) => toolResults);
console.log(answer?.toolName, answer?.output);
if (answer === undefined) process.exitCode = 1;

/** Put a real model here: `anthropic('claude-…')`, `openai('gpt-…')`. */
function standIn(): MockLanguageModelV3 {
  const usage = {
    inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 0, text: 0, reasoning: 0 },
  };
  const call = { toolCallId: '1', toolName: 'mcp__example__add', input: '{"a":2,"b":3}' };
  return new MockLanguageModelV3({
    doGenerate: ({ prompt }) =>
      Promise.resolve({
        content: prompt.some(({ role }) => role === 'tool')
          ? [{ type: 'text', text: '5' }]
          : [{ type: 'tool-call', ...call }],
        finishReason: { unified: 'stop', raw: undefined },
        usage,
        warnings: [],
      }),
  });
}
