/** Tools for the Vercel AI SDK. Typed by shape, so that `ai` remains the caller's dependency. */

import type { JsonObject } from '../kernel/json.ts';
import type { Host } from '../host/host.ts';
import type { Attachment, ToolResult } from '../results/tool-result.ts';
import { offeredTools, type BridgeOptions, type OfferedTool } from './offered-tools.ts';

export type { BridgeOptions } from './offered-tools.ts';

/** The symbol that marks a schema as the AI SDK's own, in every version of it. */
const schemaMark = Symbol.for('vercel.ai.schema');

/**
 * At run time a schema of the AI SDK, because of its mark. By its type a Standard Schema, which versions 6
 * and 7 accept.
 */
interface StandardSchema {
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

/**
 * The call signature exists only for the compiler; no SDK calls it. Version 5 and Mastra type schemas by
 * symbols that cannot be named without the SDK, but also accept functions that return such a schema.
 */
export interface AiSchema extends StandardSchema {
  (): never;
}

interface TextPart {
  type: 'text';
  text: string;
}

/** AI SDK 5. */
interface MediaPart {
  type: 'media';
  data: string;
  mediaType: string;
}

/** AI SDK 6. Version 7 still reads it and warns. */
type DataPart =
  | { type: 'image-data'; data: string; mediaType: string }
  | { type: 'file-data'; data: string; mediaType: string; filename: string };

/** AI SDK 7. */
interface FilePart {
  type: 'file';
  data: { type: 'data'; data: string };
  mediaType: string;
  filename: string;
}

/** A tool's result as a model sees it, with the file parts of one version of the AI SDK. */
export type AiToolOutput<Part = FilePart | DataPart | MediaPart> =
  | { type: 'error-text'; value: string }
  | { type: 'content'; value: (TextPart | Part)[] };

export interface AiModelOutputOptions {
  readonly toolCallId: string;
  readonly input: unknown;
  readonly output: unknown;
}

/** One signature for each version of the AI SDK: 7, 6 and 5. */
interface ToModelOutput {
  (options: AiModelOutputOptions): AiToolOutput<FilePart>;
  (options: AiModelOutputOptions): AiToolOutput<DataPart>;
  (output: unknown): AiToolOutput<MediaPart>;
}

export interface AiTool {
  readonly type: 'dynamic';
  readonly description: string;
  readonly inputSchema: AiSchema;
  execute(input: unknown, options: { readonly abortSignal?: AbortSignal | undefined }): Promise<ToolResult>;
  readonly toModelOutput: ToModelOutput;
}

/**
 * Returns tools for `generateText`. The object is updated in place when servers change what they offer, until
 * the host is closed.
 */
export async function toAiTools(host: Host, options: BridgeOptions = {}): Promise<Record<string, AiTool>> {
  const tools: Record<string, AiTool> = {};
  // Shared by all tools: a tool may be replaced between its call and the conversion of the result.
  const sdk: CallingSdk = { takesFileParts: false };
  const fill = async (): Promise<void> => {
    const offered = await offeredTools(host, 'generic', options);
    const fresh = new Map(offered.map((tool) => [tool.name, tool]));
    for (const name of Object.keys(tools)) if (!fresh.has(name)) delete tools[name];
    for (const [name, tool] of fresh) tools[name] = aiTool(tool, sdk);
  };
  await fill();
  let turn: Promise<void> = Promise.resolve();
  let isDue = false;
  const follow = (): void => {
    // One update covers all events before it begins, because many servers may connect at the same time.
    if (isDue) return;
    isDue = true;
    const look = (): Promise<void> => {
      isDue = false;
      return fill();
    };
    // Updates run one after another. Ignore failures, such as those of a host that has been closed.
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

/** What is known about the SDK version that runs the tools. */
interface CallingSdk {
  takesFileParts: boolean;
}

function aiTool({ description, schema, run }: OfferedTool, sdk: CallingSdk): AiTool {
  function toModelOutput(options: AiModelOutputOptions): AiToolOutput<FilePart>;
  function toModelOutput(options: AiModelOutputOptions): AiToolOutput<DataPart>;
  function toModelOutput(output: unknown): AiToolOutput<MediaPart>;
  function toModelOutput(given: unknown): AiToolOutput {
    const options = given as { readonly output?: ToolResult }; // the result itself in version 5
    if (options.output === undefined) return modelOutput(given as ToolResult, mediaPart);
    return modelOutput<FilePart | DataPart>(options.output, sdk.takesFileParts ? filePart : dataPart);
  }
  return {
    type: 'dynamic',
    description,
    inputSchema: aiSchema({ ...schema, type: 'object', additionalProperties: false }),
    execute: (input, options) => {
      // Versions 6 and 7 pass the same to `toModelOutput`; only 7 has a `context` here.
      sdk.takesFileParts = 'context' in options;
      return run((input ?? {}) as JsonObject, { signal: options.abortSignal }); // an object, by its schema
    },
    toModelOutput,
  };
}

/** Validates nothing: arguments are checked, and repaired, against the server's own schema. */
function aiSchema(jsonSchema: JsonObject): AiSchema {
  const copy = (): Record<string, unknown> => ({ ...jsonSchema });
  const standard: StandardSchema['~standard'] = {
    version: 1,
    vendor: 'holt',
    validate: (value) => ({ value }),
    jsonSchema: { input: copy, output: copy },
  };
  const marks = { [schemaMark]: true, _type: undefined, validate: undefined };
  const schema: StandardSchema = { ...marks, jsonSchema, '~standard': standard };
  return schema as AiSchema; // see `AiSchema`
}

function modelOutput<Part>(
  { ok, text, attachments }: ToolResult,
  partOf: (attachment: Attachment) => Part,
): AiToolOutput<Part> {
  if (!ok) return { type: 'error-text', value: text };
  const parts = attachments.map((attachment) => partOf(attachment));
  return {
    type: 'content',
    value: text === '' && parts.length > 0 ? parts : [{ type: 'text', text }, ...parts],
  };
}

function filePart({ mimeType, data, name }: Attachment): FilePart {
  return { type: 'file', data: { type: 'data', data }, mediaType: mimeType, filename: name };
}

function dataPart({ mimeType, data, name }: Attachment): DataPart {
  return mimeType.startsWith('image/')
    ? { type: 'image-data', data, mediaType: mimeType }
    : { type: 'file-data', data, mediaType: mimeType, filename: name };
}

function mediaPart({ mimeType, data }: Attachment): MediaPart {
  return { type: 'media', data, mediaType: mimeType };
}
