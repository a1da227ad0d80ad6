/** Our tools for the Vercel AI SDK. Typed by shape, so that `ai` stays the caller's dependency and not ours. */

import type { JsonObject } from '../catalog/tool-info.ts';
import type { Host } from '../host/host.ts';
import type { ToolResult } from '../results/tool-result.ts';
import { offeredTools, type BridgeOptions, type OfferedTool } from './offered-tools.ts';

export type { BridgeOptions } from './offered-tools.ts';

/** What marks a schema as one of the AI SDK's own, in every version of it. */
const schemaMark = Symbol.for('vercel.ai.schema');

/** By its mark a schema of the AI SDK's own, by its type one of the Standard Schema family, which it takes as well. */
export interface AiSchema {
  readonly jsonSchema: JsonObject;
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'holt';
    readonly validate: (value: unknown) => { value: unknown };
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>;
      readonly output: () => Record<string, unknown>;
    };
  };
}

type OutputPart =
  | { type: 'text'; text: string }
  /** The one word for files that the versions have in common. */
  | { type: 'media'; data: string; mediaType: string };

export type AiToolOutput = { type: 'error-text'; value: string } | { type: 'content'; value: OutputPart[] };

export interface AiTool {
  readonly type: 'dynamic';
  readonly description: string;
  readonly inputSchema: AiSchema;
  execute(input: unknown, options: { readonly abortSignal?: AbortSignal | undefined }): Promise<ToolResult>;
  toModelOutput(given: unknown): AiToolOutput;
}

/** Give it to `generateText` as it is. It follows what servers offer until the host is closed. */
export async function toAiTools(host: Host, options: BridgeOptions = {}): Promise<Record<string, AiTool>> {
  const tools: Record<string, AiTool> = {};
  const fill = async (): Promise<void> => {
    const offered = await offeredTools(host, 'generic', options);
    const fresh = new Map(offered.map((tool) => [tool.name, tool]));
    for (const name of Object.keys(tools)) if (!fresh.has(name)) delete tools[name];
    for (const [name, tool] of fresh) tools[name] = aiTool(tool);
  };
  await fill();
  let turn: Promise<void> = Promise.resolve();
  let isDue = false;
  const follow = (): void => {
    // One look will see all that was told before it begins: many servers may come up at once.
    if (isDue) return;
    isDue = true;
    const look = (): Promise<void> => {
      isDue = false;
      return fill();
    };
    // One after the other; a host that is closed meanwhile has nothing to tell.
    turn = turn.then(look).catch(() => undefined);
  };
  host.on('mcp.tools.changed', follow);
  host.on('mcp.resources.changed', follow);
  host.on('mcp.config.changed', follow);
  host.on('mcp.status.changed', ({ status: { status } }) => {
    if (status === 'connected' || status === 'needs_auth') follow();
  });
  return tools;
}

function aiTool({ description, schema, run }: OfferedTool): AiTool {
  return {
    type: 'dynamic',
    description,
    inputSchema: aiSchema({ ...schema, type: 'object', additionalProperties: false }),
    execute: (input, { abortSignal }) => run((input ?? {}) as JsonObject, { signal: abortSignal }), // an object, by its schema
    toModelOutput: (given) => modelOutput(resultIn(given)),
  };
}

/** It checks nothing: arguments are checked, and mended, against the server's own schema. */
function aiSchema(jsonSchema: JsonObject): AiSchema {
  const copy = (): Record<string, unknown> => ({ ...jsonSchema });
  const standard: AiSchema['~standard'] = {
    version: 1,
    vendor: 'holt',
    validate: (value) => ({ value }),
    jsonSchema: { input: copy, output: copy },
  };
  const marks = { [schemaMark]: true, _type: undefined, validate: undefined };
  return { ...marks, jsonSchema, '~standard': standard };
}

/** Older versions hand over the result itself, newer ones an object that has it. */
function resultIn(given: unknown): ToolResult {
  const holder = given as { readonly output?: ToolResult }; // one of the two
  return holder.output ?? (given as ToolResult);
}

function modelOutput({ ok, text, attachments }: ToolResult): AiToolOutput {
  if (!ok) return { type: 'error-text', value: text };
  return {
    type: 'content',
    value: [
      ...(text === '' && attachments.length > 0 ? [] : [{ type: 'text' as const, text }]),
      ...attachments.map(({ mimeType, data }) => ({ type: 'media' as const, data, mediaType: mimeType })),
    ],
  };
}
