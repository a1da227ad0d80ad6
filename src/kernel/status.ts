/** The status of a server, as one of these objects. */

import type { Phase } from './phases.ts';

export type Status =
  | { readonly status: 'connected' }
  | { readonly status: 'disabled' }
  | { readonly status: 'failed'; readonly error: string }
  | { readonly status: 'needs_auth' }
  | { readonly status: 'needs_client_registration'; readonly error: string }
  | { readonly status: 'needs_input'; readonly inputs: readonly string[] }
  /** `folder`: the project's folder is not trusted, and the server cannot start anywhere else. */
  | { readonly status: 'untrusted'; readonly reason?: 'folder' }
  | { readonly status: 'blocked'; readonly error: string }
  | { readonly status: 'connecting'; readonly phase: Phase; readonly retryAt?: string }
  | { readonly status: 'idle' };

/** Protocol version 2026-07-28 has no sessions; all earlier versions do. */
export type Era = 'stateless' | 'stateful';
