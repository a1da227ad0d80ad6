/** How the command reaches the service without knowing it: whoever runs the command hands it in. */

import type { Host, HostOptions } from '../host/host.ts';
import type { OpenedHost } from '../host/open-host.ts';

export interface ServiceRequest {
  readonly at:
    | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
    | { readonly kind: 'socket'; readonly path: string };
  /** Chosen by the user. */
  readonly token: string | undefined;
  readonly host: HostOptions;
  readonly openHost: (options: HostOptions) => Promise<OpenedHost>;
}

export interface RunningService {
  readonly host: Host;
  readonly url: string;
  /** Where the token is. */
  readonly runFile: string;
  /** The address of the page with a new one-time code. */
  link(): string;
  /** Answers what was asked, then ends. */
  close(): Promise<void>;
}

export type OpenService = (request: ServiceRequest) => Promise<RunningService>;

/** How a session is opened; whoever opens it brings the person, and is told how to open the host. */
export type OpenRepl = (
  openHost: (person: Pick<HostOptions, 'interaction'>) => Promise<Host>,
) => Promise<void>;
