/**
 * Events of a host: plain JSON without secrets, emitted after the fact and never awaited. Every front end
 * gets the same events.
 */

import type { Phase, Status } from './phases.ts';

export interface HostEvents {
  'mcp.phase': { readonly server: string; readonly from: Phase; readonly to: Phase; readonly ms: number };
  'mcp.status.changed': { readonly server: string; readonly status: Status };
  'mcp.tools.changed': { readonly server: string };
  'mcp.resources.changed': { readonly server: string };
  'mcp.prompts.changed': { readonly server: string };
  'mcp.warning': { readonly server: string; readonly code: string; readonly message: string };
  /** The content of a subscribed resource changed. */
  'mcp.resource.updated': { readonly server: string; readonly uri: string };
  /** Does not include arguments and results, because they may contain anything. */
  'mcp.tool.called': {
    readonly server: string;
    readonly tool: string;
    readonly name: string;
    readonly ms: number;
    readonly ok: boolean;
  };
  /**
   * A tool differs from when it was first seen. `changes` has one line per difference, without invisible
   * characters.
   */
  'mcp.tool.mutated': {
    readonly server: string;
    readonly tool: string;
    readonly withheld: boolean;
    readonly changes: readonly string[];
  };
  'mcp.auth.required': {
    readonly server: string;
    readonly status: 'needs_auth' | 'needs_client_registration';
    readonly message: string;
  };
  'mcp.auth.completed': { readonly server: string };
  /** `mcpName` equals `server`. It is there for listeners written for opencode's clients. */
  'mcp.browser.open.failed': { readonly server: string; readonly mcpName: string; readonly url: string };
  'mcp.log': {
    readonly server: string;
    readonly level: string;
    readonly logger?: string;
    readonly data: unknown;
  };
  /** Server definitions were added, removed or changed. */
  'mcp.config.changed': {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
  };
}

export type HostEventName = keyof HostEvents;

const names: Readonly<Record<HostEventName, true>> = {
  'mcp.phase': true,
  'mcp.status.changed': true,
  'mcp.tools.changed': true,
  'mcp.resources.changed': true,
  'mcp.prompts.changed': true,
  'mcp.warning': true,
  'mcp.resource.updated': true,
  'mcp.tool.called': true,
  'mcp.tool.mutated': true,
  'mcp.auth.required': true,
  'mcp.auth.completed': true,
  'mcp.browser.open.failed': true,
  'mcp.log': true,
  'mcp.config.changed': true,
};
export const hostEventNames: readonly string[] = Object.keys(names);

/** An event with its time (ISO 8601) and a number that only increases. */
export type HostEvent<Name extends HostEventName> = HostEvents[Name] & {
  readonly at: string;
  readonly id: number;
};
export type HostListener<Name extends HostEventName> = (event: HostEvent<Name>) => void;

export interface EventBus {
  readonly emit: Emit;
  /** Returns a function that removes the listener. */
  readonly on: <Name extends HostEventName>(name: Name, listener: HostListener<Name>) => () => void;
  readonly off: <Name extends HostEventName>(name: Name, listener: HostListener<Name>) => void;
  /** Whether this event has a listener now. */
  readonly isHeard: (name: HostEventName) => boolean;
  /** Removes all listeners. */
  readonly close: () => void;
}

/** Lets modules emit events without knowing the listeners. */
export type Emit = <Name extends HostEventName>(name: Name, event: HostEvents[Name]) => void;
