/** Calls holt's built-in tools, with the same permission checks as for any other tool. */

import type { JsonObject } from '../../kernel/json.ts';
import { checkArguments } from '../../catalog/check-arguments.ts';
import { requirePermission } from '../../calls/permission.ts';
import { HoltError } from '../../kernel/errors.ts';
import type { Interaction } from '../../kernel/interaction.ts';
import type { Clock } from '../../platform/clock.ts';
import { type CallAnswer, type CutParts, makeFailure, makeResult } from '../../results/make-result.ts';
import type { ToolResult } from '../../results/tool-result.ts';
import { answerBuiltIn, builtInName, builtInTools } from '../built-in-tools.ts';
import type { Host } from '../host.ts';
import { nextTurn } from '../../platform/waits.ts';
import type { HostPolicy } from './host-policy.ts';
import type { TimedOptions } from './tool-calls.ts';

export interface BuiltInsParts {
  readonly host: () => Host;
  readonly policy: HostPolicy;
  readonly ask: Interaction['askPermission'];
  readonly granted: Set<string>;
  readonly clock: Clock;
  readonly cut: () => CutParts;
}

type RunBuiltIn = (name: string, args: JsonObject, options: TimedOptions) => Promise<ToolResult> | undefined;

export function createBuiltIns(parts: BuiltInsParts): RunBuiltIn {
  const run = async (name: string, args: JsonObject, options: TimedOptions): Promise<ToolResult> => {
    const { clock, host, cut } = parts;
    const startedAt = clock.now();
    const inputSchema = builtInTools.find((one) => one.name === name)?.inputSchema ?? {};
    await permit({ name, args, inputSchema, options }, parts);
    const checked = await checkArguments(inputSchema, args, nextTurn);
    if (checked.kind === 'invalid') throw misfit(name, checked.errors);
    const { value, repaired } = checked;
    const answer = await inTime(options, (own) => answerBuiltIn(host(), name, value, own));
    const ms = Math.round(clock.now() - startedAt);
    const facts = { server: 'holt', tool: name, agent: 'holt', ms, repaired };
    return HoltError.is(answer) ? makeFailure(answer, facts) : makeResult(answer, facts, cut());
  };
  return (name, args, options) => {
    const own = builtInName(name);
    return own === undefined ? undefined : run(own, args, options);
  };
}

/** Resolves to the answer, or to the error if the deadline passes first. */
async function inTime(
  options: TimedOptions,
  work: (options: TimedOptions) => Promise<CallAnswer>,
): Promise<CallAnswer | HoltError> {
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

interface Wish {
  readonly name: string;
  readonly args: JsonObject;
  readonly inputSchema: JsonObject;
  readonly options: TimedOptions;
}

async function permit(
  { name, args, inputSchema, options }: Wish,
  { policy, ask, granted }: BuiltInsParts,
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

function misfit(
  tool: string,
  errors: readonly { readonly path: string; readonly expected: string }[],
): HoltError<'arguments-invalid'> {
  const wrong = errors.map(({ path, expected }) => `${path}: expected ${expected}`).join('; ');
  return new HoltError('arguments-invalid', `The arguments of ${tool} do not fit: ${wrong}`, {
    tool,
    errors,
  });
}
