/**
 * Creates the catalog on first use: by a caller, or by the first server that has started. Creating it earlier
 * would delay the start of that server.
 */

import type { HostCatalog } from './host.ts';
import type { World } from './world.ts';

/** How long a starting server has the event loop to itself. */
const headStartMs = 8;

export interface LateParts {
  readonly wire: () => HostCatalog;
  /** Loads what the first list needs. Never rejects. */
  readonly prepare: () => Promise<void>;
}

export function lateCatalog(
  { bus, clock }: Pick<World, 'bus' | 'clock'>,
  { wire, prepare }: LateParts,
): HostCatalog {
  let wired: HostCatalog | undefined;
  const catalog = (): HostCatalog => {
    stop();
    return (wired ??= wire());
  };
  const getReady = (): void => {
    catalog();
    void prepare();
  };
  const stop = bus.on('mcp.phase', ({ from, to }) => {
    if (from === 'connecting') catalog();
    // By then the server's process is starting and holt is only waiting for it.
    if (to === 'connecting') clock.setTimer(headStartMs, getReady, { background: true });
  });
  return {
    tools: (options) => catalog().tools(options),
    listErrors: (kind, options) => catalog().listErrors(kind, options),
    withheld: () => catalog().withheld(),
    acceptPins: (server, tool) => catalog().acceptPins(server, tool),
    findTool: (selector, options) => catalog().findTool(selector, options),
    searchTools: (query, options) => catalog().searchTools(query, options),
    call: (name, args, options) => catalog().call(name, args, options),
    callRaw: (name, args, options) => catalog().callRaw(name, args, options),
    explain: (name) => catalog().explain(name),
    resources: (options) => catalog().resources(options),
    resourceTemplates: (options) => catalog().resourceTemplates(options),
    readResource: (server, uri, options) => catalog().readResource(server, uri, options),
    subscribe: (server, uri) => catalog().subscribe(server, uri),
    prompts: (options) => catalog().prompts(options),
    prompt: (server, name, args, options) => catalog().prompt(server, name, args, options),
    complete: (server, reference, argument, context) =>
      catalog().complete(server, reference, argument, context),
  };
}
