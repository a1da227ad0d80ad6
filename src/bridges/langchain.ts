/** Tools for LangChain. Typed by shape, so that `@langchain/core` remains the caller's dependency. */

import type { JsonObject } from '../kernel/json.ts';
import type { Host } from '../host/host.ts';
import type { ToolResult } from '../results/tool-result.ts';
import { offeredTools, runModelCall, type BridgeOptions } from './offered-tools.ts';

export type { BridgeOptions } from './offered-tools.ts';

export type LangChainContent =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'audio' | 'file'; source_type: 'base64'; mime_type: string; data: string };

/** The fields of LangChain's `new DynamicStructuredTool(fields)`. */
export interface LangChainTool {
  name: string;
  description: string;
  schema: JsonObject & { readonly type: 'object' };
  responseFormat: 'content_and_artifact';
  /**
   * The artifact is the whole result. Rejects when the tool fails; LangChain reports that to the model as an
   * error.
   */
  func(
    input: unknown,
    runManager?: unknown,
    config?: { readonly signal?: AbortSignal | undefined },
  ): Promise<[content: LangChainContent[], artifact: ToolResult]>;
}

export async function toLangChainTools(host: Host, options: BridgeOptions = {}): Promise<LangChainTool[]> {
  const offered = await offeredTools(host, 'generic', options);
  return offered.map(({ name, description, schema }) => ({
    name,
    description,
    schema: { ...schema, type: 'object' },
    responseFormat: 'content_and_artifact',
    func: async (input, _runManager, config) => {
      const result = await runModelCall(offered, { name, args: input }, { signal: config?.signal });
      if (!result.ok) throw new Error(result.text.replace(/^Error: /, ''));
      return [contentOf(result), result];
    },
  }));
}

function contentOf({ text, attachments }: ToolResult): LangChainContent[] {
  const files = attachments.map(({ mimeType, data }): LangChainContent => {
    if (mimeType.startsWith('image/'))
      return { type: 'image_url', image_url: { url: `data:${mimeType};base64,${data}` } };
    const type = mimeType.startsWith('audio/') ? 'audio' : 'file';
    return { type, source_type: 'base64', mime_type: mimeType, data };
  });
  return text === '' && files.length > 0 ? files : [{ type: 'text', text }, ...files];
}
