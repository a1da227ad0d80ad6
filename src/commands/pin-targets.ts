/** What `fs` and `fs.read` stand for: a server, or one of its tools. */

export interface PinTarget {
  readonly server: string;
  /** All of them when left out. */
  readonly tool: string | undefined;
}

/** Names may hold dots themselves: a whole name comes first, then the longest that is followed by one. */
export function findPinTarget(word: string, servers: readonly string[]): PinTarget {
  if (servers.includes(word)) return { server: word, tool: undefined };
  const [owner] = servers
    .filter((server) => word.startsWith(`${server}.`) && word.length > server.length + 1)
    .toSorted((left, right) => right.length - left.length);
  if (owner !== undefined) return { server: owner, tool: word.slice(owner.length + 1) };
  // Nobody by that name: whoever looks the server up says so. A server that is shadowed has its agent in the name.
  const [, server = word, tool] = /^([^.]*@[^.]*)\.(.+)$/s.exec(word) ?? [];
  return { server, tool };
}
