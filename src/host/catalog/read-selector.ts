/**
 * Parses the ways people write a tool: `s.t`, `s/t`, `s:t`, `s t`. Which of them a string can mean depends on
 * the known servers. Pure.
 */

export interface Spelled {
  readonly server: string;
  readonly tool: string;
}

const separators = new Set(['.', '/', ':', ' ']);

/** Returns every possible reading, because names may contain separators. */
export function readSelector(selector: string, refs: readonly string[]): readonly Spelled[] {
  return refs.flatMap((server) => {
    const tool = selector.slice(server.length + 1);
    const fits = selector.startsWith(server) && separators.has(selector.charAt(server.length)) && tool !== '';
    return fits ? [{ server, tool }] : [];
  });
}

/**
 * Returns the servers whose name appears in a public name, as far as that is known without the tool table.
 */
export function possibleOwners(name: string, refs: readonly string[]): readonly string[] {
  const exact = owners(name, refs, /[^a-z0-9]+/g);
  // One naming profile also drops digits.
  return exact.length > 0 ? exact : owners(name, refs, /[^a-z]+/g);
}

function owners(name: string, refs: readonly string[], dropped: RegExp): readonly string[] {
  const flat = (text: string): string => text.toLowerCase().replaceAll(dropped, '_');
  const plain = flat(name);
  return refs.filter((ref) => plain.startsWith(flat(`mcp_${ref}_`)) || plain.startsWith(flat(`${ref}_`)));
}

/**
 * Returns the part of a public name that names the tool, for a server whose tools are unknown. Returns the
 * whole name if the server's part cannot be recognized.
 */
export function toolIn(name: string, ref: string): string {
  const safe = ref.replaceAll(/[^A-Za-z0-9_-]/gu, '_');
  const lower = ref
    .toLowerCase()
    .replaceAll(/[^a-z]+/gu, '_')
    .replace(/_$/, '');
  const heads = [`mcp__${safe}__`, `mcp_${lower}_`, `${safe}_`];
  const head = heads.find((start) => name.startsWith(start) && name.length > start.length);
  return head === undefined ? (readSelector(name, [ref])[0]?.tool ?? name) : name.slice(head.length);
}
