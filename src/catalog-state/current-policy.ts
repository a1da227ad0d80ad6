/** The policy that applies now. Read on first use, and again after servers and settings were reloaded. */

import type { ServerEntry } from '../connection/supervisor.ts';
import type { Emit } from '../kernel/events.ts';
import type { Machine } from '../kernel/machine.ts';
import type { Problem } from '../kernel/problems.ts';
import type { Files } from '../platform/files/files.ts';
import type { Identity } from '../platform/files/load-config-file.ts';
import type { Policy, PolicyRules, PolicySources } from '../policy/policy.ts';
import { createPolicy } from '../policy/policy.ts';
import { loadPolicy, policyServer } from '../policy/load-policy.ts';
import { rememberAlways } from '../policy/remember-answer.ts';
import type { Roster } from '../roster/load-roster.ts';
import type { Approvals } from '../trust/trust-state.ts';
import type { TrustStore } from '../trust/trust-store.ts';

export interface CurrentPolicy {
  read(): Promise<Policy>;
  /** Returns the policy without waiting, or undefined if it has to be read first. */
  current(): Policy | undefined;
  /** Problems in the rules, as of the last read. */
  problems(): readonly Problem[];
  /** Saves that this tool may be called from now on. */
  remember(entry: ServerEntry, tool: string): Promise<void>;
}

export interface CurrentPolicyParts {
  readonly machine: Machine;
  readonly files: Files;
  readonly identity: Identity | undefined;
  readonly store: TrustStore;
  readonly loadApprovals: (files: Files) => Approvals;
  readonly wallNow: () => number;
  readonly emit: Emit;
  readonly warn: (message: string) => void;
  readonly roster: { readonly current: Roster };
  /** The rules of the program. */
  readonly rules: PolicyRules | undefined;
}

export function createCurrentPolicy(parts: CurrentPolicyParts): CurrentPolicy {
  const { machine, files, store, identity, warn, roster } = parts;
  let problems: readonly Problem[] = [];
  let warned = '';
  let known: { readonly roster: Roster; readonly policy: Policy } | undefined;
  let reading: { readonly roster: Roster; readonly policy: Promise<Policy> } | undefined;
  const load = async (of: Roster): Promise<Policy> => {
    const approvals = parts.loadApprovals(files);
    const sources = await loadPolicy(of, { machine, files, identity, approvals, store, given: parts.rules });
    const policy = createPolicy(sources);
    for (const { message } of policy.problems) warn(message);
    const message = unreadableText(sources, policy);
    if (message !== warned && message !== '')
      parts.emit('mcp.warning', { server: '', code: 'rules-unreadable', message });
    warned = message;
    known = { roster: of, policy };
    problems = policy.problems;
    return policy;
  };
  const current = (): Policy | undefined => (known?.roster === roster.current ? known.policy : undefined);
  return {
    current,
    problems: () => problems,
    read: async () => {
      const found = current();
      if (found !== undefined) return found;
      if (reading?.roster !== roster.current)
        reading = { roster: roster.current, policy: load(roster.current) };
      return reading.policy;
    },
    remember: async ({ ref, definition }, tool) => {
      const { servers, shadowed } = roster.current;
      const outcome = await rememberAlways(
        { server: ref, tool, definition },
        {
          machine,
          files,
          store,
          now: parts.wallNow,
          approvals: parts.loadApprovals(files),
          servers: [...servers, ...shadowed].map(policyServer),
        },
      );
      if (outcome.kind === 'not-saved') warn(`The answer holds for this run only: ${outcome.reason}`);
      known = undefined;
      reading = undefined;
    },
  };
}

/** The warning for rules that cannot be read, because their author expects them to apply. */
function unreadableText({ rules }: PolicySources, { problems }: Policy): string {
  const lost = rules.flatMap(({ lost: isLost, file }) => (isLost === true ? (file ?? []) : []));
  const faulty = problems.flatMap(({ severity, file }) =>
    severity === 'error' && file !== '' ? [file] : [],
  );
  const files = [...new Set([...lost, ...faulty])];
  if (files.length === 0) return '';
  return `Rules for tools cannot be read in ${files.join(', ')}: what they may have held back is asked for. holt doctor says more.`;
}
