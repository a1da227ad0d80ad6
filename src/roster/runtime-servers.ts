/**
 * Servers that a program passes in instead of a file, in Claude's or opencode's shape, and the check that a file
 * could contain them.
 */

import type { ConfigFile, EntryContext, RawEntry } from '../agents/agent-format.ts';
import type { EntryReading } from '../agents/server-shape.ts';
import { readHoltEntry } from '../agents/holt.ts';
import { readStartLimit } from '../agents/opencode-files.ts';
import { nameProblem } from '../discovery/combine.ts';
import { parseJson } from '../documents/json.ts';
import { createLineIndex, get, type ObjectNode } from '../documents/tree.ts';
import type { Machine } from '../kernel/machine.ts';
import type { Problem } from '../kernel/problems.ts';
import type { ServerDefinition } from '../kernel/servers.ts';

export interface RuntimeServers {
  readonly definitions: readonly ServerDefinition[];
  readonly problems: readonly Problem[];
}

/** Whether the program itself passed the servers in, or one of its plugins. */
export type RuntimeScope = 'runtime' | 'plugin';

/** Reads runtime entries with the same readers as files, so that they mean the same. */
export function readRuntimeServers(
  servers: Readonly<Record<string, unknown>>,
  machine: Machine,
  scope: RuntimeScope = 'runtime',
): RuntimeServers {
  const names = Object.keys(servers);
  if (names.length === 0) return { definitions: [], problems: [] };
  const text = JSON.stringify(servers);
  const document = parseJson(text, { bom: false, utf16: false });
  const problems: Problem[] = [];
  if (!document.ok || document.root?.kind !== 'object') return { definitions: [], problems };
  const position = createLineIndex(text);
  const file: ConfigFile = {
    location: { path: '', scope, guarded: false, format: 'json' },
    path: '',
    root: document.root,
    machine,
    position,
    report: ({ at, ...complaint }) => problems.push({ ...complaint, file: '', ...position(at) }),
  };
  const definitions = document.root.entries.flatMap(({ key, keyStart, value }) => {
    const entry: RawEntry = { name: key, node: value, at: keyStart };
    const definition = readRuntimeEntry(entry, file);
    if (definition === undefined) return [];
    return [hasLiteralValues(servers[key]) ? { ...definition, dialect: 'none' as const } : definition];
  });
  return { definitions, problems };
}

function readRuntimeEntry(entry: RawEntry, file: ConfigFile): ServerDefinition | undefined {
  const context: EntryContext = {
    file,
    entry,
    inputs: [],
    report: (complaint) => file.report({ server: entry.name, ...complaint }),
  };
  const refuse = (message: string): undefined => {
    context.report({ severity: 'error', code: 'entry-invalid', at: entry.at, message });
  };
  const misnamed = nameProblem(entry.name);
  if (misnamed !== undefined) return refuse(misnamed);
  if (entry.node.kind !== 'object') return refuse(`server "${entry.name}" is not an object`);
  const reading = readEitherShape(entry.node, context);
  if (reading === undefined) return undefined;
  const { scope } = file.location;
  const origin = { agent: 'holt', scope, file: '', line: 1, column: 1 } as const;
  return { name: entry.name, ...reading, origin, guarded: false, parts: [origin], alsoIn: [] };
}

/**
 * Reads an entry in opencode's shape when its type is `local` or `remote`, and in Claude's otherwise. In
 * opencode's shape, placeholders and `timeout` mean what they mean in opencode's files, and holt's own fields
 * count as well.
 */
export function readEitherShape(node: ObjectNode, context: EntryContext): EntryReading | undefined {
  const type = get(node, 'type');
  const isOpencode = type?.kind === 'string' && (type.value === 'local' || type.value === 'remote');
  if (!isOpencode) return readHoltEntry(node, context);
  const reading = readHoltEntry(asHolt(node), context);
  if (reading === undefined) return undefined;
  const limits = readStartLimit(node, context);
  const phases = { ...limits.phases, ...reading.timeouts.phases };
  const timeouts = {
    ...limits,
    ...reading.timeouts,
    ...(Object.keys(phases).length === 0 ? {} : { phases }),
  };
  return { ...reading, dialect: 'opencode', timeouts };
}

const renamed: Readonly<Record<string, string>> = { environment: 'env' };

function asHolt(node: ObjectNode): ObjectNode {
  const entries = node.entries.flatMap((entry) => {
    if (entry.key === 'type' || entry.key === 'timeout') return [];
    if (entry.key !== 'command' || entry.value.kind !== 'array')
      return [{ ...entry, key: renamed[entry.key] ?? entry.key }];
    const [program, ...args] = entry.value.items;
    if (program === undefined) return [];
    return [
      { ...entry, value: program },
      { ...entry, key: 'args', value: { ...entry.value, items: args } },
    ];
  });
  return { ...node, entries };
}

/**
 * Marks the config of a server whose values are literal, although they may look like placeholders. A symbol,
 * because copies of the config preserve it and a file cannot contain it. `Symbol.for` returns the same symbol in
 * every copy of the package.
 */
export const literalValues: unique symbol = Symbol.for('holt.literal-values') as never;

export function hasLiteralValues(config: unknown): boolean {
  return typeof config === 'object' && config !== null && literalValues in config;
}

/**
 * Finds the value that a file could not contain. Returns error messages that name its place, without the value,
 * which may be a secret.
 */
export function notPlain(value: unknown, where: string): readonly string[] {
  try {
    JSON.stringify(value, refuseContainer);
    return [];
  } catch {
    return [unfit(value, where, { above: [], seen: new Set() }) ?? `${where} cannot be read as JSON`];
  }
}

const containers: ReadonlySet<string> = new Set(
  'Map Set WeakMap WeakSet Promise RegExp Headers URLSearchParams FormData'.split(' '),
);

/** Returns the type name of an object whose content is not in its fields, such as a Map or a Promise. */
export function containerOf(value: unknown): string | undefined {
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  return containers.has(tag) ? tag : undefined;
}

/** JSON.stringify would write such an object as `{}`. */
function refuseContainer(_key: string, value: unknown): unknown {
  if (containerOf(value) !== undefined) throw new TypeError('a container');
  return value;
}

interface Walk {
  readonly above: readonly object[];
  readonly seen: Set<object>;
}

/** As deep as holt reads files. */
const maxDepth = 64;

function unfit(value: unknown, where: string, { above, seen }: Walk): string | undefined {
  if (typeof value === 'bigint') return `${where} must be a number or a string, but is a BigInt`;
  if (typeof value !== 'object' || value === null) return undefined;
  const container = containerOf(value);
  if (container !== undefined) return `${where} must be a plain value, but is a ${container}`;
  if (above.length >= maxDepth) return `${where.split('.', 1)[0]} is nested deeper than ${maxDepth} levels`;
  if (above.includes(value)) return `${where} leads back to an object that contains it`;
  if (seen.has(value)) return undefined;
  seen.add(value);
  for (const key of Object.keys(value)) {
    const found = unfit(read(value, key), `${where}.${key}`, { above: [...above, value], seen });
    if (found !== undefined) return found;
  }
  return undefined;
}

/** When a getter throws, the caller reports the whole value as unreadable. */
function read(value: object, key: string): unknown {
  try {
    return Reflect.get(value, key);
  } catch {
    return undefined;
  }
}
