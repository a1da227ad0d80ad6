/** The API's schemas for what servers offer, for the results of calls, and for events. */

import type { HostEventName, HostEvents } from '../../kernel/events.ts';
import { phases } from '../../kernel/phases.ts';
import { type Infer, s, type Schema } from './schema.ts';
import { status, statusRecord } from './server-schemas.ts';

const annotations = s.optional(s.anyObject());
const title = s.optional(s.string());
const description = s.optional(s.string());

export const tool = s.named(
  'Tool',
  s.object({
    name: s.string({ description: 'The public name.' }),
    server: s.string(),
    tool: s.string(),
    agent: s.string(),
    title,
    description,
    inputSchema: s.anyObject(),
    outputSchema: s.optional(s.anyObject()),
    annotations,
    decision: s.oneOf(['allow', 'ask', 'deny']),
    score: s.optional(s.number({ description: 'How well it matches the search.' })),
  }),
);

export const toolResult = s.named(
  'ToolResult',
  s.object({
    ok: s.boolean(),
    text: s.string(),
    content: s.array(s.anything(), {
      description:
        'The blocks of the protocol. Instead of the bytes of an image, a sound or a file they contain `attachment`, an index into `attachments`.',
    }),
    structured: s.optional(s.anything()),
    attachments: s.array(s.object({ mimeType: s.string(), data: s.string(), name: s.string() })),
    error: s.optional(s.object({ code: s.string(), message: s.string() })),
    server: s.string(),
    tool: s.string(),
    agent: s.string(),
    ms: s.number(),
    repaired: s.optional(s.array(s.string())),
    meta: s.optional(s.anyObject()),
  }),
);

export const progress = s.named(
  'Progress',
  s.object({ progress: s.number(), total: s.optional(s.number()), message: s.optional(s.string()) }),
);

const resourceFields = {
  server: s.string(),
  name: s.string(),
  title,
  description,
  mimeType: s.optional(s.string()),
  annotations,
};
export const resource = s.named(
  'Resource',
  s.object({ ...resourceFields, uri: s.string(), size: s.optional(s.number()) }),
);
export const resourceTemplate = s.named(
  'ResourceTemplate',
  s.object({ ...resourceFields, uriTemplate: s.string() }),
);

export const prompt = s.named(
  'Prompt',
  s.object({
    server: s.string(),
    name: s.string(),
    title,
    description,
    arguments: s.array(s.object({ name: s.string(), description, required: s.boolean() })),
  }),
);

const decided = s.named(
  'Decided',
  s.object({
    name: s.string(),
    server: s.string(),
    tool: s.string(),
    decision: s.oneOf(['allow', 'ask', 'deny']),
    rule: s.optional(
      s.object({ text: s.string(), file: s.optional(s.string()), line: s.optional(s.integer()) }),
    ),
    reason: s.string(),
  }),
);

export const permissionQuestion = s.named(
  'PermissionQuestion',
  s.object({
    question: s.string({ description: 'Its id; send the answer to POST /trust.' }),
    server: s.string(),
    tool: s.string(),
    name: s.string(),
    title,
    arguments: s.anyObject(),
    reason: s.string(),
  }),
);

export const policy = s.object({
  tools: s.array(decided),
  withheld: s.array(s.object({ server: s.string(), tool: s.string(), changes: s.array(s.string()) })),
  questions: s.array(permissionQuestion, {
    description: 'Calls that wait for a person; shown only to tokens that may answer.',
  }),
});

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
