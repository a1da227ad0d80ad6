/** The API's schemas for what servers offer and for the results of calls. */

import { s } from './schema.ts';

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
    score: s.optional(s.number({ description: 'How well it fits the search.' })),
  }),
);

export const toolResult = s.named(
  'ToolResult',
  s.object({
    ok: s.boolean(),
    text: s.string(),
    content: s.array(s.anything(), {
      description:
        'The blocks of the protocol. In place of the bytes of an image, a sound or a file stands `attachment`, their place in `attachments`.',
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
    question: s.string({ description: 'Its id; POST /trust takes the answer.' }),
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
    description: 'Calls that wait for a person; only shown to who may answer.',
  }),
});
