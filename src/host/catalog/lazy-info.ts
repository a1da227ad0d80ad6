/**
 * A tool as it is offered while what it says of itself is still text on disk: that is looked at when somebody asks for it.
 * A plain object all the same, with fields of its own that can be listed, copied and printed.
 */

import type { Tool } from '../../kernel/protocol-types.ts';
import { toolParts, type ToolPart } from '../../catalog/catalog-cache.ts';
import { normalInputSchema } from '../../catalog/normal-schema.ts';
import type { Decision, JsonObject, ToolInfo } from '../../catalog/tool-info.ts';
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
  // Last, as in every other tool.
  info.decision = decision;
  return info as ToolInfo; // the input schema is always among the parts
}

// oxlint-disable-next-line typescript/no-extraneous-class -- a class that extends it puts its private fields into an object that is there already
class Given {
  constructor(given: object) {
    return given;
  }
}

/**
 * Where the texts come from, in a field nobody else sees. Getters that are shared find it through the object: with closures
 * of their own for each of thousands of objects, making these took longer than all the rest.
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

/** The same one whenever it is asked for. */
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
