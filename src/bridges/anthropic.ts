/** Our tools for Anthropic's Messages API, as plain objects. */

import type { JsonObject } from '../catalog/tool-info.ts';
import type { Host, HostCallOptions } from '../host/host.ts';
import type { ToolResult } from '../results/tool-result.ts';
import { offeredTools, runModelCall, type BridgeOptions } from './offered-tools.ts';

export type { BridgeOptions } from './offered-tools.ts';

export interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonObject;
}

export interface ToolUseBlock {
  readonly type?: 'tool_use' | undefined;
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

type ResultBlock =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'image';
      readonly source: { readonly type: 'base64'; readonly media_type: string; readonly data: string };
    };

export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content: readonly ResultBlock[];
  readonly is_error?: true;
}

export interface AnthropicTools {
  readonly tools: readonly AnthropicTool[];
  /** Runs what the model asked for and gives the block to send back. Rejects only when it was called off. */
  dispatch(call: ToolUseBlock, options?: HostCallOptions): Promise<ToolResultBlock>;
}

export async function toAnthropicTools(host: Host, options: BridgeOptions = {}): Promise<AnthropicTools> {
  const offered = await offeredTools(host, 'anthropic', options);
  return {
    tools: offered.map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
    dispatch: async ({ id, name, input }, call = {}) => {
      const result = await runModelCall(offered, { name, args: input }, call);
      return {
        type: 'tool_result',
        tool_use_id: id,
        content: blocksOf(result),
        ...(result.ok ? {} : { is_error: true }),
      };
    },
  };
}

/** The pictures this API takes. */
const imageTypes: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

function blocksOf({ text, attachments }: ToolResult): readonly ResultBlock[] {
  const images = attachments.filter(({ mimeType }) => imageTypes.has(mimeType));
  return [
    // An empty text is refused.
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...images.map(({ mimeType, data }) => ({
      type: 'image' as const,
      source: { type: 'base64' as const, media_type: mimeType, data },
    })),
  ];
}
