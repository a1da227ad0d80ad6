/** What a program hands over as a definition must be what a file could say. Finds the place that no file could. */

/** What is wrong, each with its place; nothing when it fits. Values are not repeated: they may be secrets. */
export function notPlain(value: unknown, where: string): readonly string[] {
  try {
    JSON.stringify(value);
    return [];
  } catch {
    return [unfit(value, where, { above: [], seen: new Set() }) ?? `${where} cannot be read as JSON`];
  }
}

interface Walk {
  readonly above: readonly object[];
  readonly seen: Set<object>;
}

function unfit(value: unknown, where: string, { above, seen }: Walk): string | undefined {
  if (typeof value === 'bigint') return `${where} is a BigInt where a number or a text belongs`;
  if (typeof value !== 'object' || value === null) return undefined;
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
