/** The network, made when something first needs it: a command without remote servers never loads an HTTP client. */

import type { Network, NetworkParts } from './create-network.ts';

export function lazyNetwork(parts: NetworkParts): () => Promise<Network> {
  let made: Promise<Network> | undefined;
  return () => (made ??= import('./create-network.ts').then(({ createNetwork }) => createNetwork(parts)));
}
