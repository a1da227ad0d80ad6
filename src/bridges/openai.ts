/** Tools for OpenAI's APIs, as plain objects: Chat Completions and Responses. */

import type { JsonObject } from '../kernel/json.ts';
import type { Host, HostCallOptions } from '../host/host.ts';
import type { ToolResult } from '../results/tool-result.ts';
import { offeredTools, runModelCall, type BridgeOptions } from './offered-tools.ts';

export type { BridgeOptions } from './offered-tools.ts';

export interface OpenAiOptions extends BridgeOptions {
  /** The model must follow the schema; what strict mode cannot express is added to the description. */
  readonly strict?: boolean | undefined;
}

export interface ChatTool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: JsonObject;
    readonly strict: boolean;
  };
}

export interface ChatToolCall {
  readonly id: string;
  readonly type?: 'function' | undefined;
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface ChatToolMessage {
  readonly role: 'tool';
  readonly tool_call_id: string;
  readonly content: string;
}

export interface ResponsesTool {
  readonly type: 'function';
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly strict: boolean;
}

export interface ResponsesCall {
  readonly type?: 'function_call' | undefined;
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface ResponsesOutput {
  readonly type: 'function_call_output';
  readonly call_id: string;
  readonly output:
    | string
    | (
        | { readonly type: 'input_text'; readonly text: string }
        | { readonly type: 'input_image'; readonly image_url: string }
      )[];
}

export interface OpenAiTools<Tool, Call, Answer> {
  readonly tools: Tool[];
  /**
   * Runs the model's call and returns the message to send back. Reports failures in that message; rejects
   * only when the call is cancelled or holt itself fails.
   */
  dispatch(call: Call, options?: HostCallOptions): Promise<Answer>;
}

export async function toChatTools(
  host: Host,
  options: OpenAiOptions = {},
): Promise<OpenAiTools<ChatTool, ChatToolCall, ChatToolMessage>> {
  const offered = await offeredTools(host, providerOf(options), options);
  return {
    tools: offered.map(({ name, description, schema }) => ({
      type: 'function',
      function: { name, description, parameters: schema, strict: options.strict === true },
    })),
    dispatch: async ({ id, function: { name, arguments: args } }, call = {}) => {
      const result = await runModelCall(offered, { name, args }, call);
      // This API accepts no images from a tool; the text mentions them.
      return { role: 'tool', tool_call_id: id, content: result.text };
    },
  };
}

export async function toResponsesTools(
  host: Host,
  options: OpenAiOptions = {},
): Promise<OpenAiTools<ResponsesTool, ResponsesCall, ResponsesOutput>> {
  const offered = await offeredTools(host, providerOf(options), options);
  return {
    tools: offered.map(({ name, description, schema }) => ({
      type: 'function',
      name,
      description,
      parameters: schema,
      strict: options.strict === true,
    })),
    dispatch: async ({ call_id, name, arguments: args }, call = {}) => {
      const result = await runModelCall(offered, { name, args }, call);
      return { type: 'function_call_output', call_id, output: outputOf(result) };
    },
  };
}

function providerOf({ strict }: OpenAiOptions): 'openai' | 'openai-strict' {
  return strict === true ? 'openai-strict' : 'openai';
}

function outputOf({ text, attachments }: ToolResult): ResponsesOutput['output'] {
  const images = attachments.filter(({ mimeType }) => mimeType.startsWith('image/'));
  if (images.length === 0) return text;
  return [
    { type: 'input_text', text },
    ...images.map(({ mimeType, data }) => ({
      type: 'input_image' as const,
      image_url: `data:${mimeType};base64,${data}`,
    })),
  ];
}
