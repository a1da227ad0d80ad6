/** May this definition run? What stands between a definition and its start, as one word. */

import type { Problem } from '../kernel/problems.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { Fingerprint } from './fingerprint.ts';
import type { FolderTrust } from './start-folder.ts';

/** `open` needs no approval because of where its file is; `blocked` is forbidden by an administrator. */
export const trustStates = ['open', 'approved', 'untrusted', 'changed', 'denied', 'blocked'] as const;
export type TrustState = (typeof trustStates)[number];

/** What is known about approvals when a list is made: a picture of one moment. */
export interface Approvals {
  stateOf(definition: ServerDefinition): TrustState;
  fingerprintOf(definition: ServerDefinition): Fingerprint;
  /** Whether the user's own servers may start in the project. */
  folderTrust(): FolderTrust;
  /** What was not taken into account, and why. */
  readonly problems?: readonly Problem[];
}

export function isAllowed(state: TrustState): boolean {
  return state === 'open' || state === 'approved';
}
