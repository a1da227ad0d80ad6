/** What a program hands over as a definition must be what a file could say. Finds the place that no file could. */

/** What is wrong, each with its place; nothing when it fits. Values are not repeated: they may be secrets. */
export function notPlain(value: unknown, where: string): readonly string[] {
  try {
    JSON.stringify(value, refuseContainer);
    return [];
  } catch {
    return [unfit(value, where, { above: [], seen: new Set() }) ?? `${where} cannot be read as JSON`];
  }
}

const containers: ReadonlySet<string> = new Set([
  'Map',
  'Set',
  'WeakMap',
  'WeakSet',
  'Promise',
  'RegExp',
  'Headers',
  'URLSearchParams',
  'FormData',
]);

/** What an object is called whose content is not in its fields, such as a Map or a Promise. */
export function containerOf(value: unknown): string | undefined {
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  return containers.has(tag) ? tag : undefined;
}

/** JSON would write its content as `{}`. */
function refuseContainer(_key: string, value: unknown): unknown {
  if (containerOf(value) !== undefined) throw new TypeError('a container');
  return value;
}

interface Walk {
  readonly above: readonly object[];
  readonly seen: Set<object>;
}

function unfit(value: unknown, where: string, { above, seen }: Walk): string | undefined {
  if (typeof value === 'bigint') return `${where} is a BigInt where a number or a text belongs`;
  if (typeof value !== 'object' || value === null) return undefined;
  const container = containerOf(value);
  if (container !== undefined) return `${where} is a ${container} where a plain value belongs`;
  if (above.includes(value)) return `${where} leads back to an object that it stands in`;
  if (seen.has(value)) return undefined;
  seen.add(value);
  for (const key of Object.keys(value)) {
    const found = unfit(read(value, key), `${where}.${key}`, { above: [...above, value], seen });
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A getter may throw; then the whole is what cannot be read. */
function read(value: object, key: string): unknown {
  try {
    return Reflect.get(value, key);
  } catch {
    return undefined;
  }
}
