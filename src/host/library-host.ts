/**
 * `openHost` as the library exports it. Separate from `open-host.ts`, because the command's bundles cannot
 * import packages at run time.
 */

import type { Host, HostOptions } from './host.ts';
import { openHostWith } from './open-host.ts';
import { createSdkClients } from './sdk-clients.ts';

/**
 * Opens a host for one project folder. Connects nothing: servers start when they are needed or on `connect`.
 * Rejects with `config-invalid` for invalid options or servers, and with `usage-invalid` if the environment
 * disables certificate checks while a server uses TLS. Problems in config files do not reject; see
 * `host.problems()`.
 * Example: `await using host = await openHost({ cwd: '/path/to/project' });`
 */
export async function openHost(options: HostOptions = {}): Promise<Host> {
  const { host, ready } = await openHostWith(options, {
    sdkClients: (parts) => createSdkClients(parts, importPackage),
  });
  await ready();
  return host;
}

/** The name is a variable, so that no bundler includes the package. */
async function importPackage(name: string): Promise<unknown> {
  const loaded: unknown = await import(name);
  return loaded;
}
