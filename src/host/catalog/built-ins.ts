/** Calls of holt's own tools: the same questions are asked as for any other. */

import { checkArguments } from '../../catalog/check-arguments.ts';
import type { JsonObject } from '../../catalog/tool-info.ts';
import { requirePermission } from '../../calls/permission.ts';
import { HoltError } from '../../kernel/errors.ts';
import type { Interaction } from '../../kernel/interaction.ts';
import type { Clock } from '../../platform/clock.ts';
import type { CutParts } from '../../results/cut-text.ts';
import { makeResult } from '../../results/make-result.ts';
import type { ToolResult } from '../../results/tool-result.ts';
import { answerBuiltIn, builtInName, builtInTools } from '../built-in-tools.ts';
import type { Host, HostCallOptions } from '../host.ts';
import type { HostPolicy } from './host-policy.ts';

export interface BuiltInsParts {
  readonly host: () => Host;
  readonly policy: HostPolicy;
  readonly ask: Interaction['askPermission'];
  readonly granted: Set<string>;
  readonly clock: Clock;
  readonly cut: () => CutParts;
}

type RunBuiltIn = (
  name: string,
  args: JsonObject,
  options: HostCallOptions,
) => Promise<ToolResult> | undefined;

export function createBuiltIns(parts: BuiltInsParts): RunBuiltIn {
  const run = async (name: string, args: JsonObject, options: HostCallOptions): Promise<ToolResult> => {
    const { clock, host, cut } = parts;
    const startedAt = clock.now();
    const inputSchema = builtInTools.find((one) => one.name === name)?.inputSchema ?? {};
    await permit({ name, args, inputSchema, asked: options.asked === true }, parts);
    const checked = checkArguments(inputSchema, args);
    if (checked.kind === 'invalid') throw misfit(name, checked.errors);
    const answer = await answerBuiltIn(host(), name, checked.value, options);
    const ms = Math.round(clock.now() - startedAt);
    const { repaired } = checked;
    const facts = { server: 'holt', tool: name, agent: 'holt', ms, repaired, mismatches: [] };
    return makeResult(answer, facts, cut());
  };
  return (name, args, options) => {
    const own = builtInName(name);
    return own === undefined ? undefined : run(own, args, options);
  };
}

interface Wish {
  readonly name: string;
  readonly args: JsonObject;
  readonly inputSchema: JsonObject;
  readonly asked: boolean;
}

async function permit(
  { name, args, inputSchema, asked }: Wish,
  { policy, ask, granted }: BuiltInsParts,
): Promise<void> {
  const verdict = (await policy.read()).decideBuiltIn(name);
  if (verdict.decision === 'ask' && asked) return;
  const info = {
    name: `holt__${name}`,
    server: 'holt',
    tool: name,
    agent: 'holt',
    inputSchema,
    decision: verdict.decision,
  };
  // There is no server to write a rule for: the answer holds until the end.
  await requirePermission(info, args, {
    ask,
    granted,
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
