/** Prompts of the suite, one of which asks for input, and the completion of an argument. */

import { completable, inputRequired, type McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

import { image, text } from './content.ts';
import { askField, fieldOf } from './input-tools.ts';

export function addPrompts(server: McpServer): void {
  const cities = ['paris', 'park', 'party'];
  server.registerPrompt('test_simple_prompt', { description: 'A prompt without arguments' }, () =>
    said(text('This is a simple prompt for testing.')),
  );
  server.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'A prompt with two arguments',
      argsSchema: z.object({
        arg1: completable(z.string().describe('First test argument'), (value) =>
          cities.filter((city) => city.startsWith(value)),
        ),
        arg2: z.string().describe('Second test argument'),
      }),
    },
    ({ arg1, arg2 }) => said(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A prompt with a resource', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => {
      const resource = {
        uri: resourceUri,
        mimeType: 'text/plain',
        text: 'Embedded resource content for testing.',
      };
      return said({ type: 'resource', resource }, text('Please process the embedded resource above.'));
    },
  );
  server.registerPrompt('test_prompt_with_image', { description: 'A prompt with an image' }, () =>
    said(image, text('Please analyze the image above.')),
  );
  server.registerPrompt(
    'test_input_required_result_prompt',
    { description: 'A prompt that asks for its context' },
    (context) => {
      const given = fieldOf(context, 'user_context', 'context');
      if (given !== undefined) return said(text(`Context: ${given}`));
      const question = askField('What context should the prompt use?', 'context');
      return inputRequired({ inputRequests: { user_context: question } });
    },
  );
}

type Content =
  | ReturnType<typeof text>
  | typeof image
  | { type: 'resource'; resource: { uri: string; mimeType: string; text: string } };

function said(...contents: Content[]) {
  return { messages: contents.map((content) => ({ role: 'user' as const, content })) };
}
