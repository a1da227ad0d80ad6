/** Facts after the fact: plain JSON, no secrets, never awaited. The same stream feeds every front end. */

import type { Phase } from './phases.ts';
import type { Status } from './status.ts';

export interface HostEvents {
  'mcp.phase': { readonly server: string; readonly from: Phase; readonly to: Phase; readonly ms: number };
  'mcp.status.changed': { readonly server: string; readonly status: Status };
  'mcp.tools.changed': { readonly server: string };
  'mcp.resources.changed': { readonly server: string };
  'mcp.prompts.changed': { readonly server: string };
  'mcp.warning': { readonly server: string; readonly code: string; readonly message: string };
  'mcp.servers.changed': {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
  };
}

export type HostEventName = keyof HostEvents;

/** How rooms tell of events without knowing who listens. */
export type Emit = <Name extends HostEventName>(name: Name, event: HostEvents[Name]) => void;
