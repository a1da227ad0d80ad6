/**
 * A `ToolInfo` that parses its cached definition on first access. It is still a plain object with own
 * properties that can be listed, copied and printed.
 */

import type { JsonObject } from '../../kernel/json.ts';
import type { Tool } from '../../kernel/protocol-types.ts';
import { toolParts, type ToolPart } from '../../catalog/catalog-cache.ts';
import { type Decision, normalInputSchema, type ToolInfo } from '../../catalog/tool-info.ts';
import type { ListedTool } from './server-tools.ts';
import type { ShownTools } from './shown-tools.ts';

export type Whose = Pick<ToolInfo, 'name' | 'server' | 'tool' | 'agent'>;

export function lazyInfo(
  { name, server, tool, agent }: Whose,
  listed: ListedTool,
  decision: Decision,
  shown: ShownTools,
): ToolInfo {
  const info: Whose & { decision?: Decision } = { name, server, tool, agent };
  Source.put(info, listed, shown);
  for (const part of listed.parts ?? toolParts) Object.defineProperty(info, part, descriptors[part]);
  // Set last, to keep the property order of other tools.
  info.decision = decision;
  return info as ToolInfo; // the input schema is always among the parts
}

// oxlint-disable-next-line typescript/no-extraneous-class -- a subclass adds its private fields to an existing object
class Given {
  constructor(given: object) {
    return given;
  }
}

/**
 * Holds the source of the properties in a private field. Shared getters read it through the object, because
 * separate closures for thousands of objects dominated the time to create them.
 */
class Source extends Given {
  readonly #listed: ListedTool;
  readonly #shown: ShownTools;

  private constructor(info: object, listed: ListedTool, shown: ShownTools) {
    super(info);
    this.#listed = listed;
    this.#shown = shown;
  }

  static put(info: object, listed: ListedTool, shown: ShownTools): void {
    void new Source(info, listed, shown);
  }

  static read(info: Source, part: ToolPart): unknown {
    const tool = info.#shown.tool(info.#listed.tool);
    return part === 'inputSchema' ? schemaOf(tool) : tool[part];
  }
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
    get(this: Source) {
      return Source.read(this, part);
    },
  };
}
