/** Tools of the stateful era, which send requests of their own to the client while a call runs. */

import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';

import { text } from './content.ts';

export function addAskingTools(server: McpServer): void {
  server.registerTool(
    'test_sampling',
    { description: 'Asks the model of the client', inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, context) => {
      const { content } = await context.mcpReq.requestSampling({
        messages: [{ role: 'user', content: text(prompt) }],
        maxTokens: 100,
      });
      return { content: [text(`LLM response: ${JSON.stringify(content)}`)] };
    },
  );
  server.registerTool(
    'test_elicitation',
    { description: 'Asks the user for a name', inputSchema: z.object({ message: z.string() }) },
    async ({ message }, context) => {
      const answer = await askForm(
        context,
        message,
        {
          username: { type: 'string', description: "User's response" },
          email: { type: 'string', description: "User's email address" },
        },
        ['username', 'email'],
      );
      return { content: [text(`User response: ${answer}`)] };
    },
  );
  server.registerTool(
    'test_elicitation_sep1034_defaults',
    { description: 'Asks with defaults' },
    async (context) => {
      const answer = await askForm(context, 'Please review the values.', {
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      });
      return { content: [text(`Elicitation completed: ${answer}`)] };
    },
  );
  server.registerTool(
    'test_elicitation_sep1330_enums',
    { description: 'Asks for choices' },
    async (context) => {
      const answer = await askForm(context, 'Please choose.', choices);
      return { content: [text(`Elicitation completed: ${answer}`)] };
    },
  );
}

type FormParams = Exclude<Parameters<ServerContext['mcpReq']['elicitInput']>[0], { mode: 'url' }>;
type Properties = FormParams['requestedSchema']['properties'];

const titled = (noun: string) =>
  ['First', 'Second', 'Third'].map((word, index) => ({
    const: `value${index + 1}`,
    title: `${word} ${noun}`,
  }));
const plain = ['option1', 'option2', 'option3'];

const choices: Properties = {
  untitledSingle: { type: 'string', enum: plain },
  titledSingle: { type: 'string', oneOf: titled('Option') },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: plain } },
  titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
};

async function askForm(
  context: ServerContext,
  message: string,
  properties: Properties,
  required?: string[],
): Promise<string> {
  const requestedSchema = {
    type: 'object' as const,
    properties,
    ...(required === undefined ? {} : { required }),
  };
  const { action, content } = await context.mcpReq.elicitInput({ mode: 'form', message, requestedSchema });
  return `action=${action}, content=${JSON.stringify(content ?? {})}`;
}
