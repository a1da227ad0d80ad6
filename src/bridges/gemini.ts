/** Our tools for the Gemini API, as plain objects. */

import type { JsonObject } from '../catalog/tool-info.ts';
import type { Host, HostCallOptions } from '../host/host.ts';
import { offeredTools, runModelCall, type BridgeOptions } from './offered-tools.ts';

export type { BridgeOptions } from './offered-tools.ts';

export interface FunctionDeclaration {
  readonly name: string;
  readonly description: string;
  /** Left out for a tool without any: an object without properties is refused. */
  readonly parametersJsonSchema?: JsonObject;
}

export interface FunctionCall {
  readonly id?: string | undefined;
  /** Every call has one, although Google's SDK types it as optional. */
  readonly name?: string | undefined;
  readonly args?: unknown;
}

export interface FunctionResponsePart {
  readonly functionResponse: {
    readonly id?: string;
    readonly name: string;
    readonly response: { readonly output: string } | { readonly error: string };
    /** Pictures and other files that came with it. */
    readonly parts?: { readonly inlineData: { readonly mimeType: string; readonly data: string } }[];
  };
}

export interface GeminiTools {
  /** For `config.tools`. */
  readonly tools: { readonly functionDeclarations: FunctionDeclaration[] }[];
  /** Runs what the model asked for and gives the part to send back. Rejects only when it was called off. */
  dispatch(call: FunctionCall, options?: HostCallOptions): Promise<FunctionResponsePart>;
}

export async function toGeminiTools(host: Host, options: BridgeOptions = {}): Promise<GeminiTools> {
  const offered = await offeredTools(host, 'gemini', options);
  const functionDeclarations = offered.map(({ name, description, schema }) => ({
    name,
    description,
    ...(hasProperties(schema) ? { parametersJsonSchema: schema } : {}),
  }));
  return {
    tools: [{ functionDeclarations }],
    dispatch: async ({ id, name = '', args }, call = {}) => {
      const { ok, text, attachments } = await runModelCall(offered, { name, args }, call);
      const parts = attachments.map(({ mimeType, data }) => ({ inlineData: { mimeType, data } }));
      return {
        functionResponse: {
          ...(id === undefined ? {} : { id }),
          name,
          response: ok ? { output: text } : { error: text },
          ...(parts.length === 0 ? {} : { parts }),
        },
      };
    },
  };
}

function hasProperties({ properties }: JsonObject): boolean {
  return typeof properties === 'object' && properties !== null && Object.keys(properties).length > 0;
}
