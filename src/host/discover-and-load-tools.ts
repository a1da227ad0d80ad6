/** Does everything in one call: finds the servers, connects those that may run, and lists their tools. */

import type { ToolInfo } from '../catalog/tool-info.ts';
import type { Status } from '../kernel/phases.ts';
import type { Host, HostOptions } from './host.ts';
import { openHost } from './library-host.ts';

export interface LoadedTools {
  readonly tools: readonly ToolInfo[];
  /** By server name, why it offers no tools. */
  readonly errors: Readonly<Record<string, string>>;
  /** Calls the tools. The caller must close it. */
  readonly host: Host;
}

/** Opens a host, waits until every server has settled, and lists the tools. Rejects as `openHost` does. */
export async function discoverAndLoadTools(options: HostOptions = {}): Promise<LoadedTools> {
  const host = await openHost(options);
  try {
    const tools = await host.tools({ wait: 'settled' });
    const errors = Object.entries(host.status()).flatMap(([server, status]) => {
      const error = errorOf(status);
      return error === undefined ? [] : [[server, error] as const];
    });
    return { tools, errors: Object.fromEntries(errors), host };
  } catch (error) {
    await host.close();
    throw error;
  }
}

function errorOf(status: Status): string | undefined {
  switch (status.status) {
    case 'failed':
    case 'blocked':
    case 'needs_client_registration':
      return status.error;
    case 'needs_auth':
      return 'it needs a login';
    case 'needs_input':
      return `it needs to know: ${status.inputs.join(', ')}`;
    case 'untrusted':
      return untrustedText(status);
    case 'connecting':
      return status.retryAt === undefined ? undefined : `it is tried again at ${status.retryAt}`;
    case 'connected':
    case 'disabled':
    case 'idle':
      return undefined;
  }
}

function untrustedText({ reason }: Extract<Status, { status: 'untrusted' }>): string {
  return reason === 'folder' ? 'this folder is not trusted' : 'it is not approved';
}
