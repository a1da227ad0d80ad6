/** The API's schemas for servers: their status, their definition, and what is asked before they may run. */

import { phases } from '../../kernel/phases.ts';
import { problemCodes, type ProblemCode } from '../../kernel/problems.ts';
import { scopes, transports } from '../../kernel/servers.ts';
import { trustStates } from '../../trust/trust-state.ts';
import { s } from './schema.ts';

const phase = s.oneOf(phases);

export const status = s.named(
  'Status',
  s.union([
    s.object({ status: s.literal('connected') }),
    s.object({ status: s.literal('disabled') }),
    s.object({ status: s.literal('failed'), error: s.string() }),
    s.object({ status: s.literal('needs_auth') }),
    s.object({ status: s.literal('needs_client_registration'), error: s.string() }),
    s.object({ status: s.literal('needs_input'), inputs: s.array(s.string()) }),
    s.object({ status: s.literal('untrusted'), reason: s.optional(s.literal('folder')) }),
    s.object({ status: s.literal('blocked'), error: s.string() }),
    s.object({ status: s.literal('connecting'), phase, retryAt: s.optional(s.string()) }),
    s.object({ status: s.literal('idle') }),
  ]),
);

export const statusRecord = s.record(status, { description: 'Every server by name.' });

const origin = s.named(
  'Origin',
  s.object({
    agent: s.string(),
    scope: s.oneOf(scopes),
    file: s.string(),
    line: s.integer(),
    column: s.integer(),
  }),
);

/** Secrets are masked; placeholders appear as they are written. */
const definition = s.named(
  'Definition',
  s.object({
    name: s.string(),
    transport: s.oneOf(transports),
    command: s.optional(s.string()),
    args: s.optional(s.array(s.string())),
    env: s.optional(s.record(s.string())),
    cwd: s.optional(s.string()),
    url: s.optional(s.string()),
    headers: s.optional(s.record(s.string())),
    inheritEnv: s.optional(s.anything()),
    oauth: s.optional(s.anything()),
    auth: s.optional(s.anything()),
    tls: s.optional(s.anything()),
    tools: s.optional(s.anything()),
    enabled: s.boolean(),
    timeouts: s.anyObject(),
    origin,
    alsoIn: s.array(origin),
  }),
);

const trustQuestion = s.named(
  'TrustQuestion',
  s.object({
    reason: s.oneOf(['new', 'changed']),
    digest: s.string({
      description: 'Send it back with the answer, so that only what the person read is approved.',
    }),
    definition,
    changes: s.array(
      s.object({ path: s.string(), before: s.optional(s.string()), after: s.optional(s.string()) }),
    ),
    program: s.optional(s.string()),
    fileTarget: s.optional(s.string()),
    variables: s.array(s.string()),
    destination: s.optional(s.string()),
    commands: s.array(s.string()),
    files: s.array(s.string()),
    inputs: s.array(s.string()),
    loaderVariables: s.array(s.string(), { description: 'Each needs its own confirmation.' }),
    warnings: s.array(s.string()),
  }),
);

export const serverView = s.named(
  'Server',
  s.object({
    name: s.string(),
    status,
    definition,
    connect: s.string({ description: 'The command line or the URL.' }),
    trust: s.oneOf(trustStates),
    question: s.optional(trustQuestion),
    code: s.optional(s.string()),
    remedy: s.optional(s.string()),
    era: s.optional(s.oneOf(['stateless', 'stateful'])),
    protocol: s.optional(s.string()),
    serverInfo: s.optional(s.anyObject()),
    instructions: s.optional(s.string()),
    counts: s.optional(s.object({ tools: s.integer(), resources: s.integer(), prompts: s.integer() })),
    ms: s.number({ description: 'From the start to ready.' }),
    phases: s.record(s.number(), { description: 'How long each phase took, in milliseconds.' }),
    lines: s.array(s.string(), { description: 'The last lines of its log.' }),
  }),
);

export const logs = s.object({ server: s.string(), lines: s.array(s.string()) });

export const problem = s.named(
  'Problem',
  s.object({
    severity: s.oneOf(['error', 'warning', 'info']),
    code: s.oneOf(Object.keys(problemCodes) as ProblemCode[]), // exactly these keys
    file: s.string(),
    line: s.integer(),
    column: s.integer(),
    server: s.optional(s.string()),
    message: s.string(),
    remedy: s.optional(s.string()),
  }),
);

export const serversChange = s.object({
  added: s.array(s.string()),
  removed: s.array(s.string()),
  changed: s.array(s.string()),
});

export const trustState = s.oneOf(trustStates);

export const errorBody = s.named(
  'Error',
  s.object({ error: s.object({ code: s.string(), message: s.string() }) }),
);

export const saveTarget = s.exactObject({
  agent: s.optional(s.string()),
  scope: s.optional(s.oneOf(['user', 'project', 'local'])),
});
export const saving = s.exactObject({ save: s.optional(saveTarget) });
