/** Decides whether a call may be made: by policy, and by asking a person if the policy says "ask". */

import type { ToolInfo } from '../catalog/tool-info.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { CallDeadline } from '../connection/call-timers.ts';
import { HoltError } from '../kernel/errors.ts';
import type { Interaction } from '../kernel/interaction.ts';
import type { PolicyVerdict } from '../policy/policy.ts';

export interface PermissionParts {
  readonly ask: Interaction['askPermission'];
  /** Returns why the policy asks or denies. */
  readonly explain: () => PolicyVerdict;
  /** Answers that are valid until the host closes. */
  readonly granted: Set<string>;
  /** Stores the answer permanently. */
  readonly remember: () => Promise<void>;
  /** Paused while a person answers. */
  readonly deadline?: CallDeadline | undefined;
}

const ruleRemedy = 'Allow it with a rule (permissions.allow, or policy.allow of openHost)';

/** Throws `call-denied` unless the call is allowed. */
export async function requirePermission(
  info: ToolInfo,
  args: JsonObject,
  { ask, explain, granted, remember, deadline }: PermissionParts,
): Promise<void> {
  const { decision, server, tool, name, title } = info;
  if (decision === 'allow') return;
  const verdict = explain();
  if (decision === 'deny') throw denied(info, verdict, `${name} ${verdict.reason}`);
  const key = JSON.stringify([server, tool]);
  if (granted.has(key)) return;
  if (ask === undefined) {
    throw denied(info, verdict, `${name} needs permission, and nobody can be asked`, {
      remedy: `${ruleRemedy}, or set interaction.askPermission.`,
    });
  }
  const question = {
    server,
    tool,
    name,
    ...(title === undefined ? {} : { title }),
    arguments: args,
    reason: verdict.reason,
  };
  const refuse = (cause: unknown): never => {
    const more = { remedy: `${ruleRemedy}.`, cause };
    throw denied(info, verdict, `${name} has to be asked for, and asking failed`, more);
  };
  switch (await answered(() => ask(question), deadline, refuse)) {
    case 'once':
      return;
    case 'run':
      granted.add(key);
      return;
    case 'always':
      granted.add(key);
      await remember();
      return;
    // The answer may come from a program, so an unknown answer counts as a refusal.
    default:
      throw denied(info, verdict, `The call of ${name} was turned down`, { remedy: `${ruleRemedy}.` });
  }
}

/** Calls `refuse` if asking fails: the person has neither allowed nor refused the call. */
async function answered(
  ask: () => Promise<unknown>,
  deadline: PermissionParts['deadline'],
  refuse: (cause: unknown) => never,
): Promise<unknown> {
  const release = deadline?.hold();
  try {
    return await ask();
  } catch (error) {
    if (HoltError.is(error)) throw error;
    return refuse(error);
  } finally {
    release?.();
  }
}

function denied(
  { server, tool, decision }: ToolInfo,
  { rule }: PolicyVerdict,
  message: string,
  more: { readonly remedy?: string; readonly cause?: unknown } = {},
): HoltError<'call-denied'> {
  const place = rule === undefined ? {} : { rule: rule.text, ...placeOf(rule) };
  const details = { server, tool, decision: decision === 'deny' ? decision : 'ask', ...place } as const;
  return new HoltError('call-denied', message, details, more);
}

function placeOf({ file, line }: NonNullable<PolicyVerdict['rule']>): {
  readonly file?: string;
  readonly line?: number;
} {
  return { ...(file === undefined ? {} : { file }), ...(line === undefined ? {} : { line }) };
}
