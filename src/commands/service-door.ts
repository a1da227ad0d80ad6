/**
 * The interface through which commands start the HTTP service or a REPL session. The command line provides
 * the implementation, so that commands do not import it.
 */

import type { Host, HostOptions } from '../host/host.ts';
import type { OpenedHost } from '../host/open-host.ts';

export interface ServiceRequest {
  readonly at:
    | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
    | { readonly kind: 'socket'; readonly path: string };
  /** A token that the user chose. Undefined to create one. */
  readonly token: string | undefined;
  readonly host: HostOptions;
  readonly openHost: (options: HostOptions) => Promise<OpenedHost>;
}

export interface RunningService {
  readonly host: Host;
  readonly url: string;
  /** The file that holds the token. */
  readonly runFile: string;
  /** Returns the URL of the API page with a new one-time code. */
  link(): string;
  /** Answers pending requests, then stops. */
  close(): Promise<void>;
}

export type OpenService = (request: ServiceRequest) => Promise<RunningService>;

/** Opens a session. The session provides the callbacks that ask a person, and opens the host with them. */
export type OpenRepl = (
  openHost: (person: Pick<HostOptions, 'interaction'>) => Promise<Host>,
) => Promise<void>;
