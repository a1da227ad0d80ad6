/** The same tools for three APIs, without their SDKs: what is sent, and how a model's call is answered. */

import { fileURLToPath } from 'node:url';

import { openHost } from 'holt';
import { toAnthropicTools } from 'holt/anthropic';
import { toGeminiTools } from 'holt/gemini';
import { toChatTools, toResponsesTools } from 'holt/openai';

const server = fileURLToPath(new URL('example-server/server.js', import.meta.resolve('holt')));
await using host = await openHost({
  agents: [],
  servers: { example: { command: process.execPath, args: [server] } },
  policy: { allow: ['mcp__example'] },
});
const name = 'mcp__example__add';
const args = { a: 2, b: 3 };

const anthropic = await toAnthropicTools(host);
const chat = await toChatTools(host);
const responses = await toResponsesTools(host, { strict: true });
const gemini = await toGeminiTools(host);

const answers = [
  await anthropic.dispatch({ type: 'tool_use', id: 'toolu_1', name, input: args }),
  await chat.dispatch({ id: 'call_1', function: { name, arguments: JSON.stringify(args) } }),
  await responses.dispatch({ call_id: 'call_2', name, arguments: JSON.stringify(args) }),
  await gemini.dispatch({ name, args }),
];
for (const answer of answers) console.log(JSON.stringify(answer));
if (!answers.every((answer) => JSON.stringify(answer).includes('5'))) process.exitCode = 1;
