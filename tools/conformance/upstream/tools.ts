/** Tools that ask nothing: content of every kind, an error, progress, logs, and changes of the lists. */

import { setTimeout as wait } from 'node:timers/promises';

import { fromJsonSchema, type McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';

import { image, sound, text } from './content.ts';

export interface ListChanges {
  readonly tools: () => void;
  readonly prompts: () => void;
}

export function addTools(server: McpServer, changes?: ListChanges): void {
  addContentTools(server);
  addReportingTools(server);
  addChangingTools(server, changes ?? ownChanges(server));
  addSchemaTools(server);
}

function addContentTools(server: McpServer): void {
  server.registerTool('test_simple_text', { description: 'Returns one line of text' }, () => ({
    content: [text('This is a simple text response for testing.')],
  }));
  server.registerTool('test_image_content', { description: 'Returns an image' }, () => ({
    content: [image],
  }));
  server.registerTool('test_audio_content', { description: 'Returns a sound' }, () => ({ content: [sound] }));
  server.registerTool('test_embedded_resource', { description: 'Returns an embedded resource' }, () => ({
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }));
  server.registerTool(
    'test_multiple_content_types',
    { description: 'Returns text, an image and a resource' },
    () => ({
      content: [
        text('Multiple content types test:'),
        image,
        embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
      ],
    }),
  );
  server.registerTool('test_error_handling', { description: 'Always fails' }, () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
}

function embedded(uri: string, mimeType: string, content: string) {
  return { type: 'resource' as const, resource: { uri, mimeType, text: content } };
}

function addReportingTools(server: McpServer): void {
  server.registerTool(
    'test_tool_with_progress',
    { description: 'Reports progress three times' },
    async (context) => {
      const progressToken = context.mcpReq['_meta']?.progressToken;
      for (const progress of [0, 50, 100]) {
        if (progress > 0) await wait(50);
        if (progressToken === undefined) continue;
        const params = { progressToken, progress, total: 100 };
        await context.mcpReq.notify({ method: 'notifications/progress', params });
      }
      return { content: [text('Progress was reported.')] };
    },
  );
  const logged = async (context: ServerContext) => {
    await context.mcpReq.log('info', 'Tool execution started');
    await wait(50);
    await context.mcpReq.log('info', 'Tool processing data');
    await wait(50);
    await context.mcpReq.log('info', 'Tool execution completed');
    return { content: [text('Messages were logged.')] };
  };
  server.registerTool('test_tool_with_logging', { description: 'Logs three messages' }, logged);
  server.registerTool(
    'test_logging_tool',
    { description: 'Logs three messages, if a level was set' },
    logged,
  );
  server.registerTool(
    'test_reconnection',
    { description: 'Closes its stream in the middle of the call' },
    async (context) => {
      context.http?.closeSSE?.();
      await wait(100);
      return { content: [text('Reconnection test completed.')] };
    },
  );
}

function ownChanges(server: McpServer): ListChanges {
  return { tools: () => server.sendToolListChanged(), prompts: () => server.sendPromptListChanged() };
}

function addChangingTools(server: McpServer, changes: ListChanges): void {
  server.registerTool(
    'test_trigger_tool_change',
    { description: 'Reports that the list of tools changed' },
    () => {
      changes.tools();
      return { content: [text('The list of tools changed.')] };
    },
  );
  server.registerTool(
    'test_trigger_prompt_change',
    { description: 'Reports that the list of prompts changed' },
    () => {
      changes.prompts();
      return { content: [text('The list of prompts changed.')] };
    },
  );
}

function addSchemaTools(server: McpServer): void {
  const name = { type: 'string' } as const;
  server.registerTool(
    'json_schema_2020_12_tool',
    {
      description: 'Has an input schema with keywords of JSON Schema 2020-12',
      inputSchema: fromJsonSchema<Record<string, unknown>>({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        $defs: {
          address: {
            $anchor: 'addressDef',
            type: 'object',
            properties: { street: name, city: name },
          },
        },
        properties: {
          name,
          address: { $ref: '#/$defs/address' },
          contactMethod: { type: 'string', enum: ['phone', 'email'] },
          phone: name,
          email: name,
        },
        allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
        if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
        // eslint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
        then: { required: ['phone'] },
        else: { required: ['email'] },
        additionalProperties: false,
      }),
    },
    (given) => ({ content: [text(JSON.stringify(given))] }),
  );
  server.registerTool(
    'test_x_mcp_header',
    {
      description: 'Mirrors one argument in a header',
      inputSchema: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }),
    },
    ({ region }) => ({ content: [text(`region=${region}`)] }),
  );
}
