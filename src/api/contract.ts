/**
 * Every route of the API. This one table validates requests, generates the OpenAPI document and gives the
 * client its types. Keys are method and path; `:name` is one path segment, percent-encoded.
 */

import {
  eventSchemas,
  policy,
  progress,
  prompt,
  resource,
  resourceTemplate,
  streamSchemas,
  tool,
  toolResult,
} from './contract/catalog-schemas.ts';
import { defineRoute as route, s } from './contract/schema.ts';
import {
  logs,
  problem,
  errorBody,
  saveTarget,
  saving,
  serverView,
  serversChange,
  status,
  statusRecord,
  trustState,
} from './contract/server-schemas.ts';

export type { AnswerOf, BodyOf, PathParams, QueryOf, Route, TokenScope } from './contract/schema.ts';

const name = s.string({ minLength: 1, maxLength: 200 });
/** The config file to which a change is also written. */
const listed = {
  server: s.optional(s.string()),
  wait: s.optional(
    s.oneOf(['settled'], {
      description: 'Waits for every server. By default, a list waits at most 2 s for slow ones.',
    }),
  ),
};
const ofServer = s.object(listed);
/** Servers that are missing from a list, with the reason. */
const errors = s.record(s.string());

const serverRoutes = {
  'GET /mcp': route({ scope: 'read', summary: 'The status of every server', answer: statusRecord }),
  'POST /mcp': route({
    scope: 'admin',
    summary: 'Add a server while running, or replace one that was added, and connect it',
    body: s.exactObject({
      name,
      config: s.anyObject({ description: 'In opencode’s shape or in Claude’s.' }),
      save: s.optional(saveTarget),
    }),
    answer: statusRecord,
  }),
  'GET /mcp/:name': route({ scope: 'read', summary: 'One server with all details', answer: serverView }),
  'DELETE /mcp/:name': route({
    scope: 'admin',
    summary: 'Remove a server from the running host, and with `save` from its file',
    body: saving,
    bodyOptional: true,
    answer: statusRecord,
  }),
  'GET /mcp/:name/logs': route({
    scope: 'read',
    summary: 'The last lines a server wrote to stderr',
    query: s.object({ lines: s.optional(s.integer({ minimum: 1, maximum: 10_000 })) }),
    answer: logs,
  }),
  'POST /mcp/:name/connect': route({ scope: 'admin', summary: 'Connect', answer: status }),
  'POST /mcp/:name/disconnect': route({ scope: 'admin', summary: 'Disconnect', answer: status }),
  'POST /mcp/:name/enable': route({
    scope: 'admin',
    summary: 'Enable in this host, and with `save` in its file',
    body: saving,
    bodyOptional: true,
    answer: status,
  }),
  'POST /mcp/:name/disable': route({
    scope: 'admin',
    summary: 'Disable in this host, and with `save` in its file',
    body: saving,
    bodyOptional: true,
    answer: status,
  }),
  'POST /mcp/:name/reload': route({
    scope: 'admin',
    summary: 'Disconnect and connect again',
    answer: status,
  }),
} as const;

const authRoutes = {
  'POST /mcp/:name/auth': route({
    scope: 'admin',
    summary: 'Start a login; the user opens the URL',
    body: s.exactObject({ scope: s.optional(s.string()) }),
    bodyOptional: true,
    answer: s.object({ authorizationUrl: s.string(), oauthState: s.string() }),
  }),
  'POST /mcp/:name/auth/callback': route({
    scope: 'admin',
    summary: 'Finish a login with the parameters that the provider returned',
    body: s.exactObject({
      code: s.string({ minLength: 1 }),
      state: s.optional(s.string()),
      iss: s.optional(s.string()),
    }),
    answer: status,
  }),
  'POST /mcp/:name/auth/authenticate': route({
    scope: 'admin',
    summary: 'Run a whole login in the browser of the machine that runs the service',
    body: s.exactObject({
      flow: s.optional(s.oneOf(['browser', 'device', 'client_credentials'])),
      scope: s.optional(s.string()),
    }),
    bodyOptional: true,
    answer: status,
  }),
  'DELETE /mcp/:name/auth': route({
    scope: 'admin',
    summary: 'Forget a login',
    answer: s.object({ success: s.boolean(), removed: s.boolean(), revoked: s.boolean() }),
  }),
} as const;

const catalogRoutes = {
  'GET /tools': route({
    scope: 'read',
    summary: 'Tools, or those that match a search',
    query: s.object({
      search: s.optional(s.string()),
      ...listed,
      limit: s.optional(s.integer({ minimum: 1, maximum: 1000 })),
    }),
    answer: s.object({ tools: s.array(tool), errors }),
  }),
  'POST /tools/:name/call': route({
    scope: 'call',
    summary: 'Call a tool',
    body: s.exactObject({
      arguments: s.optional(s.anyObject()),
      timeoutMs: s.optional(s.integer({ minimum: 1, maximum: 86_400_000 })),
    }),
    bodyOptional: true,
    answer: toolResult,
    streams: { progress, result: toolResult, error: errorBody },
  }),
  'GET /resources': route({
    scope: 'read',
    summary: 'Resources and resource templates',
    query: ofServer,
    answer: s.object({ resources: s.array(resource), templates: s.array(resourceTemplate), errors }),
  }),
  'GET /resources/read': route({
    scope: 'call',
    summary: 'Read a resource',
    query: s.object({ server: name, uri: s.string({ minLength: 1 }) }),
    answer: s.anyObject({ description: 'The server’s own result: `contents`.' }),
  }),
  'GET /prompts': route({
    scope: 'read',
    summary: 'Prompts',
    query: ofServer,
    answer: s.object({ prompts: s.array(prompt), errors }),
  }),
  'POST /prompts/get': route({
    scope: 'call',
    summary: 'A prompt with its arguments filled in',
    body: s.exactObject({ server: name, name, arguments: s.optional(s.record(s.string())) }),
    answer: s.anyObject({ description: 'The server’s own result: `messages`.' }),
  }),
} as const;

const trustRoutes = {
  'GET /policy': route({
    scope: 'read',
    summary: 'Which tools may be called, by which rule, and which calls wait for a person',
    answer: policy,
  }),
  'POST /trust': route({
    scope: 'trust',
    summary: 'Approve or deny a project’s server, or answer a question about a call',
    body: s.union([
      s.exactObject({
        server: name,
        decision: s.oneOf(['allow', 'deny', 'revoke']),
        digest: s.optional(
          s.string({
            description: 'The digest of the question that the person read; required to allow or deny.',
          }),
        ),
        loaderVariables: s.optional(
          s.array(s.string(), {
            description:
              'Required to allow: every variable that the question names, each confirmed separately.',
          }),
        ),
      }),
      s.exactObject({ question: name, answer: s.oneOf(['once', 'run', 'always', 'deny']) }),
    ]),
    answer: s.union([
      s.object({ server: s.string(), trust: trustState }),
      s.object({ question: s.string(), answer: s.string() }),
    ]),
  }),
} as const;

const serviceRoutes = {
  'GET /problems': route({
    scope: 'read',
    summary: 'What holt doctor reports',
    answer: s.object({ problems: s.array(problem) }),
  }),
  'POST /reload': route({ scope: 'admin', summary: 'Read all config files again', answer: serversChange }),
  'GET /events': route({
    scope: 'read',
    summary: 'All events, as Server-Sent Events; Last-Event-ID resumes',
    answer: s.string(),
    kind: 'events',
    streams: { ...eventSchemas, ...streamSchemas },
  }),
  'GET /metrics': route({
    scope: 'read',
    summary: 'Metrics for Prometheus',
    answer: s.string(),
    kind: 'text',
  }),
  'GET /openapi.json': route({ scope: 'read', summary: 'This document', answer: s.anyObject() }),
  'GET /health': route({
    scope: undefined,
    summary: 'Whether the service is up',
    answer: s.object({ ok: s.literal(true) }),
  }),
  'GET /': route({ scope: undefined, summary: 'A page for people', answer: s.string(), kind: 'html' }),
  'GET /icon.svg': route({
    scope: undefined,
    summary: 'The icon of the page',
    answer: s.string(),
    kind: 'svg',
  }),
  'POST /session': route({
    scope: undefined,
    summary: 'Exchange the one-time code of a link for the token',
    body: s.exactObject({ code: s.string({ minLength: 1, maxLength: 200 }) }),
    answer: s.object({ token: s.string() }),
  }),
} as const;

export const routes = { ...serverRoutes, ...authRoutes, ...catalogRoutes, ...trustRoutes, ...serviceRoutes };
/** One entry for each route of the HTTP API, with the types of its request and its response. */
export type Routes = typeof routes;
export type RouteKey = keyof Routes;
