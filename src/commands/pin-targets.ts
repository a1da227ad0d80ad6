/** Parses the targets of `holt pin`, such as `fs` and `fs.read`: a server, or one of its tools. */

export interface PinTarget {
  readonly server: string;
  /** Undefined means all tools. */
  readonly tool: string | undefined;
}

/**
 * Names may contain dots: the whole word is tried as a server first, then the longest server name before a
 * dot.
 */
export function findPinTarget(word: string, servers: readonly string[]): PinTarget {
  if (servers.includes(word)) return { server: word, tool: undefined };
  const [owner] = servers
    .filter((server) => word.startsWith(`${server}.`) && word.length > server.length + 1)
    .toSorted((left, right) => right.length - left.length);
  if (owner !== undefined) return { server: owner, tool: word.slice(owner.length + 1) };
  // No such server; the later lookup reports that. A shadowed server has its agent in the name.
  const [, server = word, tool] = /^([^.]*@[^.]*)\.(.+)$/s.exec(word) ?? [];
  return { server, tool };
}
