/**
 * Checks that a definition from a program could also come from a file, and finds the value that could not.
 */

/**
 * Returns error messages that name the place, or an empty array. They contain no values, which may be
 * secrets.
 */
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

function unfit(value: unknown, where: string, { above, seen }: Walk): string | undefined {
  if (typeof value === 'bigint') return `${where} must be a number or a string, but is a BigInt`;
  if (typeof value !== 'object' || value === null) return undefined;
  const container = containerOf(value);
  if (container !== undefined) return `${where} must be a plain value, but is a ${container}`;
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
