/**
 * Tools, resources and prompts as holt offers them: the server's own definition, which server it is, and the
 * policy's decision.
 */

import { isObject, type JsonObject, stringsIn } from '../kernel/json.ts';

export type Decision = 'allow' | 'ask' | 'deny';

/** A tool under its public name. Schemas and texts are exactly as the server wrote them. */
export interface ToolInfo {
  /** The public name, by which a model calls the tool. */
  readonly name: string;
  /** The host's name for the server. */
  readonly server: string;
  readonly tool: string;
  readonly agent: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: JsonObject;
  readonly decision: Decision;
}

/** A tool that differs from what was accepted. Clients are not offered it until a person accepts it again. */
export interface WithheldTool {
  readonly server: string;
  readonly tool: string;
  /** One line each, with invisible characters made visible. */
  readonly changes: readonly string[];
  /** Why it is unknown whether the tool changed: the accepted definition cannot be read. */
  readonly unchecked?: string;
}

/** A tool that is never offered, because it cannot be compared with what was accepted. */
export interface RefusedTool {
  readonly server: string;
  readonly tool: string;
  /** Completes the sentence "the tool is left out: …". */
  readonly reason: string;
}

export interface ToolMatch {
  readonly tool: ToolInfo;
  readonly score: number;
}

export interface ResourceInfo {
  readonly server: string;
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly annotations?: JsonObject;
}

export interface ResourceTemplateInfo extends Omit<ResourceInfo, 'uri' | 'size'> {
  readonly uriTemplate: string;
}

export interface PromptInfo {
  readonly server: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description?: string;
    readonly required: boolean;
  }[];
}

/** Returns the same object when there is nothing to add. */
export function normalInputSchema(schema: unknown): JsonObject {
  if (!isObject(schema) || !admitsObjects(schema['type'])) return { type: 'object', properties: {} };
  const hasProperties = isObject(schema['properties']);
  if (schema['type'] !== undefined) return hasProperties ? schema : { ...schema, properties: {} };
  return hasProperties ? { type: 'object', ...schema } : { type: 'object', ...schema, properties: {} };
}

function admitsObjects(type: unknown): boolean {
  if (type === undefined || type === 'object') return true;
  return Array.isArray(type) && type.includes('object');
}

/** Returns the names of a tool's arguments in the order of its signature: required ones first. */
export function parameterNames(inputSchema: unknown): readonly string[] {
  return orderedNames(normalInputSchema(inputSchema)).ordered;
}

export function orderedNames({ properties, required: listed }: JsonObject): {
  readonly ordered: readonly string[];
  readonly required: ReadonlySet<string>;
} {
  const known = isObject(properties) ? properties : {};
  const required = new Set(stringsIn(listed).filter((name) => Object.hasOwn(known, name)));
  return { ordered: [...required, ...Object.keys(known).filter((name) => !required.has(name))], required };
}
