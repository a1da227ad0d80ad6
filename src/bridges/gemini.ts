/** Tools for the Gemini API, as plain objects. */

import type { JsonObject } from '../kernel/json.ts';
import type { Host, HostCallOptions } from '../host/host.ts';
import { offeredTools, runModelCall, type BridgeOptions } from './offered-tools.ts';

export type { BridgeOptions } from './offered-tools.ts';

export interface FunctionDeclaration {
  readonly name: string;
  readonly description: string;
  /** Omitted for a tool without parameters, because the API refuses an object without properties. */
  readonly parametersJsonSchema?: JsonObject;
}

export interface FunctionCall {
  readonly id?: string | undefined;
  /** Every call has a name, although Google's SDK types it as optional. */
  readonly name?: string | undefined;
  readonly args?: unknown;
}

export interface FunctionResponsePart {
  readonly functionResponse: {
    readonly id?: string;
    readonly name: string;
    readonly response: { readonly output: string } | { readonly error: string };
    /** Images and other files of the result. */
    readonly parts?: { readonly inlineData: { readonly mimeType: string; readonly data: string } }[];
  };
}

export interface GeminiTools {
  /** For `config.tools`. */
  readonly tools: { readonly functionDeclarations: FunctionDeclaration[] }[];
  /**
   * Runs the model's call and returns the part to send back. Reports failures in that part; rejects only when
   * the call is cancelled or holt itself fails.
   */
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
