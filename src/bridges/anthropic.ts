/** Tools for Anthropic's Messages API, as plain objects. */

import type { JsonObject } from '../kernel/json.ts';
import type { Host, HostCallOptions } from '../host/host.ts';
import type { ToolResult } from '../results/tool-result.ts';
import { offeredTools, runModelCall, type BridgeOptions } from './offered-tools.ts';

export type { BridgeOptions } from './offered-tools.ts';

export interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonObject & { readonly type: 'object' };
}

export interface ToolUseBlock {
  readonly type?: 'tool_use' | undefined;
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** The images that this API accepts. */
const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;
type ImageType = (typeof imageTypes)[number];

type ResultBlock =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'image';
      readonly source: { readonly type: 'base64'; readonly media_type: ImageType; readonly data: string };
    };

export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content: ResultBlock[];
  readonly is_error?: true;
}

export interface AnthropicTools {
  readonly tools: AnthropicTool[];
  /**
   * Runs the model's call and returns the block to send back. Reports failures in that block; rejects only
   * when the call is cancelled or holt itself fails.
   */
  dispatch(call: ToolUseBlock, options?: HostCallOptions): Promise<ToolResultBlock>;
}

export async function toAnthropicTools(host: Host, options: BridgeOptions = {}): Promise<AnthropicTools> {
  const offered = await offeredTools(host, 'anthropic', options);
  return {
    tools: offered.map(({ name, description, schema }) => ({
      name,
      description,
      input_schema: { ...schema, type: 'object' },
    })),
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

function blocksOf({ text, attachments }: ToolResult): ResultBlock[] {
  const images = attachments.flatMap(({ mimeType, data }): ResultBlock[] => {
    const mediaType = imageTypes.find((type) => type === mimeType);
    if (mediaType === undefined) return [];
    return [{ type: 'image', source: { type: 'base64', media_type: mediaType, data } }];
  });
  // The API refuses empty text blocks.
  return text === '' ? images : [{ type: 'text', text }, ...images];
}
