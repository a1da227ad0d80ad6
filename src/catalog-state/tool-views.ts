/**
 * Tools as they are shown: with secrets redacted, because a server may repeat a secret it received in a
 * description, URL or name. Comparisons and calls use the original.
 */

import { toolParts, type ToolPart } from '../catalog/cached-catalog.ts';
import { normalInputSchema, type Decision, type ToolInfo } from '../catalog/tool-info.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Tool } from '../kernel/protocol-types.ts';
import { secretText, type Redactor } from '../masking/redactor.ts';
import type { ListedTool } from './server-tools.ts';

export function plainInfo(
  whose: Whose,
  listed: ListedTool,
  decision: Decision,
  shown: ToolRedactor,
): ToolInfo {
  const tool = shown.tool(listed.tool);
  const { title, description, outputSchema, annotations } = tool;
  return {
    ...whose,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    inputSchema: normalInputSchema(tool.inputSchema),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
    decision,
  };
}

export type Whose = Pick<ToolInfo, 'name' | 'server' | 'tool' | 'agent'>;

/**
 * Creates a tool that parses its cached definition on first access. It is still a plain object with own
 * properties that can be listed, copied and printed.
 */
export function lazyInfo(
  { name, server, tool, agent }: Whose,
  listed: ListedTool,
  decision: Decision,
  shown: ToolRedactor,
): ToolInfo {
  const info: Whose & { decision?: Decision } = { name, server, tool, agent };
  sources.set(info, { listed, shown });
  for (const part of listed.parts ?? toolParts) Object.defineProperty(info, part, descriptors[part]);
  // Set last, to keep the property order of other tools.
  info.decision = decision;
  return info as ToolInfo; // the input schema is always among the parts
}

interface Source {
  readonly listed: ListedTool;
  readonly shown: ToolRedactor;
}

/**
 * Shared getters find the source of the properties here. Separate closures for thousands of objects dominated
 * the time to create them.
 */
const sources = new WeakMap<object, Source>();

function readPart(info: object, part: ToolPart): unknown {
  const source = sources.get(info);
  if (source === undefined) return undefined;
  const tool = source.shown.tool(source.listed.tool);
  return part === 'inputSchema' ? schemaOf(tool) : tool[part];
}

/** Caches schemas, so that repeated access returns the same object. */
const schemas = new WeakMap<Tool, JsonObject>();

function schemaOf(tool: Tool): JsonObject {
  const schema = schemas.get(tool) ?? normalInputSchema(tool.inputSchema);
  schemas.set(tool, schema);
  return schema;
}

const descriptors = Object.fromEntries(toolParts.map((part) => [part, descriptorOf(part)])) as Readonly<
  Record<ToolPart, PropertyDescriptor> // made from all parts there are
>;

function descriptorOf(part: ToolPart): PropertyDescriptor {
  return {
    enumerable: true,
    configurable: true,
    get(this: object) {
      return readPart(this, part);
    },
  };
}

export interface ToolRedactor {
  /** Redacts a name or any other string. */
  readonly name: (name: string) => string;
  /** Returns the same object if there is nothing to redact, as for nearly all tools. */
  readonly tool: (tool: Tool) => Tool;
}

/** Shows tools unchanged, for hosts that have no secrets. */
export const noRedaction: ToolRedactor = { name: (name) => name, tool: (tool) => tool };

export function createToolRedactor(redactor: Redactor): ToolRedactor {
  // Tool tables are rebuilt whenever a server connects, and tools never change after they were read.
  const shown = new WeakMap<Tool, Tool>();
  const look = (tool: Tool): Tool => (holdsSecret(tool, redactor) ? redactor.redactValue(tool) : tool);
  return {
    name: (name) => (redactor.isInUse() ? redactor.redact(name) : name),
    tool: (tool) => {
      if (!redactor.isInUse()) return tool;
      const known = shown.get(tool) ?? look(tool);
      shown.set(tool, known);
      return known;
    },
  };
}

/**
 * Checks the whole serialized tool. Few of thousands of tools contain a secret, and copying all costs more.
 */
function holdsSecret(tool: Tool, redactor: Redactor): boolean {
  try {
    const text = JSON.stringify(tool);
    return redactor.redact(text) !== text;
  } catch (error) {
    // Too deeply nested to serialize. Redacting makes a copy of limited depth.
    if (error instanceof RangeError) return true;
    throw error;
  }
}

/** Maps a redacted name that a caller passes back to the original name. */
export function originalName(
  given: string,
  all: readonly string[],
  redact: (text: string) => string,
): string {
  if (!given.includes(secretText) || all.includes(given)) return given;
  return all.find((one) => redact(one) === given) ?? given;
}
