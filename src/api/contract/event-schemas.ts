/**
 * The payload of every event as a schema. The compiler checks the schemas against the library's own event
 * types.
 */

import type { HostEventName, HostEvents } from '../../kernel/events.ts';
import { phases } from '../../kernel/phases.ts';
import { permissionQuestion } from './catalog-schemas.ts';
import { s, type Infer, type Schema } from './schema.ts';
import { status, statusRecord } from './server-schemas.ts';

const server = s.string();
const names = s.array(s.string());
const ofServer = s.object({ server });

export const eventSchemas = {
  'mcp.phase': s.object({ server, from: s.oneOf(phases), to: s.oneOf(phases), ms: s.number() }),
  'mcp.status.changed': s.object({ server, status }),
  'mcp.tools.changed': ofServer,
  'mcp.resources.changed': ofServer,
  'mcp.prompts.changed': ofServer,
  'mcp.warning': s.object({ server, code: s.string(), message: s.string() }),
  'mcp.resource.updated': s.object({ server, uri: s.string() }),
  'mcp.tool.called': s.object({
    server,
    tool: s.string(),
    name: s.string(),
    ms: s.number(),
    ok: s.boolean(),
  }),
  'mcp.tool.mutated': s.object({ server, tool: s.string(), withheld: s.boolean(), changes: names }),
  'mcp.auth.required': s.object({
    server,
    status: s.oneOf(['needs_auth', 'needs_client_registration']),
    message: s.string(),
  }),
  'mcp.auth.completed': ofServer,
  'mcp.browser.open.failed': s.object({ server, mcpName: s.string(), url: s.string() }),
  'mcp.log': s.object({ server, level: s.string(), logger: s.optional(s.string()), data: s.anything() }),
  'mcp.config.changed': s.object({ added: names, removed: names, changed: names }),
} as const satisfies { readonly [Name in HostEventName]: Schema<HostEvents[Name]> };

export const eventNames = Object.keys(eventSchemas) as HostEventName[]; // the table above has exactly these

/**
 * The status of all servers as of an event id. Sent first, and again to a client that was away too long to
 * resume.
 */
export const snapshot = s.named(
  'Snapshot',
  s.object({ status: statusRecord, at: s.string(), id: s.integer() }),
);

/** Messages of the stream other than the host's events. Questions go only to clients that may answer them. */
export const streamSchemas = {
  snapshot,
  reset: snapshot,
  question: permissionQuestion,
  answered: s.object({ question: s.string() }),
} as const;

type Told<Name extends HostEventName> = {
  readonly event: Name;
  readonly data: HostEvents[Name] & { readonly at: string; readonly id: number };
};
type Said<Name extends keyof typeof streamSchemas> = {
  readonly event: Name;
  readonly data: Infer<(typeof streamSchemas)[Name]>;
};

/** One message of `GET /events`. */
export type StreamMessage =
  | { [Name in HostEventName]: Told<Name> }[HostEventName]
  | { [Name in keyof typeof streamSchemas]: Said<Name> }[keyof typeof streamSchemas];
