/**
 * The parts of the Model Context Protocol that holt's own declarations use. They are structural, so values of
 * these types and of the official SDK's types are interchangeable. A test compares them with the SDK's.
 */

import type { JsonValue } from './json.ts';

/** Data that holt passes on without interpreting it. */
export interface Meta {
  [name: string]: unknown;
}

export interface Icon {
  src: string;
  mimeType?: string | undefined;
  sizes?: string[] | undefined;
  theme?: 'light' | 'dark' | undefined;
}

export interface Annotations {
  audience?: ('user' | 'assistant')[] | undefined;
  priority?: number | undefined;
  lastModified?: string | undefined;
}

/** A program that speaks the protocol: a server or a client. */
export interface Implementation {
  name: string;
  title?: string | undefined;
  version: string;
  websiteUrl?: string | undefined;
  description?: string | undefined;
  icons?: Icon[] | undefined;
}

export interface ToolAnnotations {
  title?: string | undefined;
  readOnlyHint?: boolean | undefined;
  destructiveHint?: boolean | undefined;
  idempotentHint?: boolean | undefined;
  openWorldHint?: boolean | undefined;
}

/** A tool as its server describes it. */
export interface Tool {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema: {
    [keyword: string]: unknown;
    type: 'object';
    properties?: Record<string, JsonValue> | undefined;
    required?: string[] | undefined;
  };
  outputSchema?: { [keyword: string]: unknown; $schema?: string | undefined } | undefined;
  annotations?: ToolAnnotations | undefined;
  execution?: { taskSupport?: 'forbidden' | 'optional' | 'required' | undefined } | undefined;
  icons?: Icon[] | undefined;
  _meta?: Meta | undefined;
}

export interface TextContent {
  type: 'text';
  text: string;
  annotations?: Annotations | undefined;
  _meta?: Meta | undefined;
}

/** An image or audio clip, in Base64. */
export interface MediaContent<Type extends 'image' | 'audio' = 'image' | 'audio'> {
  type: Type;
  data: string;
  mimeType: string;
  annotations?: Annotations | undefined;
  _meta?: Meta | undefined;
}

export interface ResourceLink extends Resource {
  type: 'resource_link';
}

export interface EmbeddedResource {
  type: 'resource';
  resource: ResourceContents;
  annotations?: Annotations | undefined;
  _meta?: Meta | undefined;
}

/** One part of a result or of a prompt's message. */
export type ContentBlock =
  | TextContent
  | MediaContent<'image'>
  | MediaContent<'audio'>
  | ResourceLink
  | EmbeddedResource;

export interface Resource {
  uri: string;
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  mimeType?: string | undefined;
  size?: number | undefined;
  annotations?: Annotations | undefined;
  icons?: Icon[] | undefined;
  _meta?: Meta | undefined;
}

export interface ResourceTemplate {
  uriTemplate: string;
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  mimeType?: string | undefined;
  annotations?: Annotations | undefined;
  icons?: Icon[] | undefined;
  _meta?: Meta | undefined;
}

interface ContentsBase {
  uri: string;
  mimeType?: string | undefined;
  _meta?: Meta | undefined;
}

/** A resource's text, or its bytes in Base64. */
export type ResourceContents = (ContentsBase & { text: string }) | (ContentsBase & { blob: string });

interface ResultBase {
  [name: string]: unknown;
  _meta?: (Meta & { 'io.modelcontextprotocol/serverInfo'?: Implementation | undefined }) | undefined;
}

export interface ReadResourceResult extends ResultBase {
  contents: ResourceContents[];
}

export interface PromptArgument {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  required?: boolean | undefined;
}

export interface Prompt {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  arguments?: PromptArgument[] | undefined;
  icons?: Icon[] | undefined;
  _meta?: Meta | undefined;
}

export interface PromptMessage {
  role: 'user' | 'assistant';
  content: ContentBlock;
}

export interface GetPromptResult extends ResultBase {
  description?: string | undefined;
  messages: PromptMessage[];
}
