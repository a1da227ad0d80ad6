/** Whether a definition may run, as one state. */

import type { Problem } from '../kernel/problems.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { Fingerprint } from './fingerprint.ts';
import type { FolderTrust } from './start-folder.ts';

/** `open` needs no approval because of where its file is; an administrator forbids what is `blocked`. */
export const trustStates = ['open', 'approved', 'untrusted', 'changed', 'denied', 'blocked'] as const;
export type TrustState = (typeof trustStates)[number];

/** The approvals at the moment when a list is made. */
export interface Approvals {
  stateOf(definition: ServerDefinition): TrustState;
  fingerprintOf(definition: ServerDefinition): Fingerprint;
  /** Whether the user's own servers may start in the project. */
  folderTrust(): FolderTrust;
  /** What was ignored, and why. */
  readonly problems?: readonly Problem[];
}

export function isAllowed(state: TrustState): boolean {
  return state === 'open' || state === 'approved';
}
