/** Calls holt's built-in tools, with the same permission checks as for any other tool. */

import { builtInPrefix, builtInTools, missingLines } from '../catalog-state/built-in-tools.ts';
import type { CurrentPolicy } from '../catalog-state/current-policy.ts';
import type { Lists } from '../catalog-state/lists.ts';
import { checkArguments } from '../catalog/check-arguments.ts';
import { HoltError } from '../kernel/errors.ts';
import type { Interaction } from '../kernel/interaction.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Clock } from '../platform/clock.ts';
import { nextTurn } from '../platform/waits.ts';
import { type CallResponse, makeFailure, makeResult } from '../results/make-result.ts';
import type { ToolResult } from '../results/tool-result.ts';
import { type CallParts, resultLimits } from './call-tool.ts';
import type { OfferRequests } from './offer-requests.ts';
import { requirePermission } from './permission.ts';
import type { HostCallOptions, TimedOptions, ToolCalls } from './tool-calls.ts';

/** The methods of a host that the built-in tools use. */
export interface BuiltInHost
  extends Pick<Lists, 'resources' | 'listErrors'>, Pick<OfferRequests, 'readResource'> {
  startAuth(name: string): Promise<{ readonly authorizationUrl: string }>;
}

export interface BuiltInCallsParts extends Pick<CallParts, 'roster' | 'spill'> {
  readonly host: () => BuiltInHost;
  readonly policy: CurrentPolicy;
  readonly ask: Interaction['askPermission'];
  readonly granted: Set<string>;
  readonly clock: Clock;
}

/** Calls a built-in tool by its name without prefix. Rejects as `host.call` does. */
export async function callBuiltIn(
  name: string,
  args: JsonObject,
  options: TimedOptions,
  parts: BuiltInCallsParts,
): Promise<ToolResult> {
  const { clock, host } = parts;
  const startedAt = clock.now();
  const inputSchema = builtInTools.find((one) => one.name === name)?.inputSchema ?? {};
  await permit({ name, args, inputSchema, options }, parts);
  const checked = await checkArguments(inputSchema, args, nextTurn);
  if (checked.kind === 'invalid') throw invalidArguments(name, checked.errors);
  const { value, repaired } = checked;
  const answer = await inTime(options, (own) => answerBuiltIn(host(), name, value, own));
  const ms = Math.round(clock.now() - startedAt);
  const facts = { server: 'holt', tool: name, agent: 'holt', ms, repaired };
  return HoltError.is(answer) ? makeFailure(answer, facts) : makeResult(answer, facts, resultLimits(parts));
}

/** Resolves to the answer, or to the error if the deadline passes first. */
async function inTime(
  options: TimedOptions,
  work: (options: TimedOptions) => Promise<CallResponse>,
): Promise<CallResponse | HoltError> {
  const { deadline } = options;
  if (deadline === undefined) return work(options);
  deadline.waitsForAnswer('holt', Number.POSITIVE_INFINITY);
  try {
    return await deadline.unlessPassed(work({ ...options, signal: deadline.signal }));
  } catch (error) {
    if (deadline.failure === undefined) throw error;
    return deadline.failure;
  }
}

interface BuiltInCall {
  readonly name: string;
  readonly args: JsonObject;
  readonly inputSchema: JsonObject;
  readonly options: TimedOptions;
}

async function permit(
  { name, args, inputSchema, options }: BuiltInCall,
  { policy, ask, granted }: BuiltInCallsParts,
): Promise<void> {
  const verdict = (await policy.read()).decideBuiltIn(name);
  if (verdict.decision === 'ask' && options.asked === true) return;
  const info = {
    name: `holt__${name}`,
    server: 'holt',
    tool: name,
    agent: 'holt',
    inputSchema,
    decision: verdict.decision,
  };
  // There is no server to save a rule for, so the answer holds until the host closes.
  await requirePermission(info, args, {
    ask,
    granted,
    deadline: options.deadline,
    explain: () => verdict,
    remember: () => Promise.resolve(),
  });
}

function invalidArguments(
  tool: string,
  errors: readonly { readonly path: string; readonly expected: string }[],
): HoltError<'arguments-invalid'> {
  const wrong = errors.map(({ path, expected }) => `${path}: expected ${expected}`).join('; ');
  return new HoltError('arguments-invalid', `The arguments of ${tool} do not fit: ${wrong}`, {
    tool,
    errors,
  });
}

/** Calls a built-in tool through `host.call`, with its policy checks and questions. */
export function runBuiltInTool(
  host: Pick<ToolCalls, 'call'>,
  name: string,
  args: JsonObject,
  options: HostCallOptions = {},
): Promise<ToolResult> {
  return host.call(builtInPrefix + name, args, options);
}

/** Executes a built-in tool that policy has allowed. `args` match its schema. */
async function answerBuiltIn(
  host: BuiltInHost,
  name: string,
  args: JsonObject,
  { signal }: HostCallOptions,
): Promise<CallResponse> {
  const { server, uri } = args as { readonly server: string; readonly uri: string }; // the schema asks for them
  switch (name) {
    case 'list_mcp_resources': {
      const options = 'server' in args ? { server } : {};
      const resources = await host.resources(options);
      const errors = host.listErrors('resources', options);
      const lines = [
        ...resources.map((one) => `${one.server}: ${one.name} <${one.uri}>`),
        ...missingLines(errors),
      ];
      return answerOf(lines.join('\n') || 'There are no resources.', {
        resources,
        ...(Object.keys(errors).length === 0 ? {} : { errors }),
      });
    }
    case 'read_mcp_resource': {
      const { contents } = await host.readResource(server, uri, { signal });
      return { content: contents.map((resource) => ({ type: 'resource', resource })) };
    }
    case 'mcp_auth': {
      const { authorizationUrl } = await host.startAuth(server);
      return answerOf(`Ask the user to open this address to log in to ${server}:\n${authorizationUrl}`, {
        authorizationUrl,
      });
    }
    default:
      throw new HoltError('tool-not-found', `Unknown tool "${name}"`, { tool: name });
  }
}

function answerOf(text: string, structuredContent: JsonObject): CallResponse {
  return { content: [{ type: 'text', text }], structuredContent };
}
