/** Creates what calls need: permission, hooks, questions to people, files for long results. */

import type { AppIdentity } from '../auth/app-identity.ts';
import { builtInName } from '../catalog-state/built-in-tools.ts';
import type { Catalog } from '../catalog-state/create-catalog.ts';
import type { CurrentPolicy } from '../catalog-state/current-policy.ts';
import type { QuestionHolds } from '../catalog-state/list-wait.ts';
import type { Decision } from '../catalog/tool-info.ts';
import type { Connection } from '../connection/connection.ts';
import type { WakeWatch } from '../connection/wake-watch.ts';
import type { EventBus } from '../kernel/events.ts';
import type { Interaction } from '../kernel/interaction.ts';
import type { Machine } from '../kernel/machine.ts';
import type { Redactor } from '../masking/redactor.ts';
import type { Clock } from '../platform/clock.ts';
import { createStoredResults, createTempFolder } from '../platform/files/result-files.ts';
import type { Policy, PolicyVerdict } from '../policy/policy.ts';
import type { CutParts } from '../results/make-result.ts';
import type { Roster } from '../roster/load-roster.ts';
import { type BuiltInHost, callBuiltIn } from './built-in-calls.ts';
import { createHookParts, type HookSets } from './hooks.ts';
import { createOfferRequests, type OfferRequests } from './offer-requests.ts';
import type { Answers } from './perform-call.ts';
import { createToolCalls, type ToolCalls } from './tool-calls.ts';

export interface CallsParts {
  readonly machine: Machine;
  readonly app: AppIdentity;
  readonly clock: Clock;
  readonly wallNow: () => number;
  readonly redactor: Redactor;
  readonly bus: EventBus;
  readonly warn: (message: string) => void;
  /** Answers requests that servers send during a call. */
  readonly requests: Answers & { readonly capabilities: object };
  readonly startQuestions: QuestionHolds;
  readonly roster: { readonly current: Roster };
  readonly wake: WakeWatch;
  readonly hooks: () => HookSets;
  readonly policy: CurrentPolicy;
  readonly catalog: Pick<Catalog, 'known' | 'finder' | 'subscribe'>;
  readonly ask: Interaction['askPermission'];
  /** The complete host. Available only once everything is connected. */
  readonly host: () => BuiltInHost;
  /** Throws for an unknown or ambiguous name. */
  readonly connectionOf: (server: string) => Connection;
  /** Throws if the host is closed. */
  readonly requireOpen: () => void;
  /** Stores files of long results where they outlive the host. */
  readonly keepsResults: boolean;
}

interface Explanation {
  readonly name: string;
  readonly server: string;
  readonly tool: string;
  readonly decision: Decision;
  readonly rule?: NonNullable<PolicyVerdict['rule']>;
  readonly reason: string;
}

export interface Calls {
  /** These methods of `Host`, which documents them. */
  readonly methods: ToolCalls & OfferRequests & { explain(name: string): Promise<Explanation> };
  /** Removes the files of results that need not outlive the host. */
  close(): Promise<void>;
}

export function createCalls(parts: CallsParts): Calls {
  const { bus, clock, roster, policy, ask, catalog, requireOpen } = parts;
  const { known, finder } = catalog;
  const redact = (text: string): string => parts.redactor.redact(text);
  const results = createResultFiles(parts);
  const spill = results.write;
  const granted = new Set<string>();
  const toolCalls = createToolCalls({
    ...parts,
    ...createHookParts({ ...parts, emit: bus.emit }),
    finder,
    known,
    redact,
    spill,
    callBuiltIn: (name, args, options) =>
      callBuiltIn(name, args, options, { host: parts.host, policy, granted, ask, clock, roster, spill }),
    permissionFor: ({ info, listed, connection }) => ({
      ask,
      granted,
      explain: () => {
        const rules = policy.current();
        return rules === undefined
          ? { decision: info.decision, reason: 'is held back: the rules have changed in this very moment' }
          : explainTool(rules, listed.name, connection);
      },
      remember: () => policy.remember(connection.entry, listed.name),
    }),
  });
  return {
    methods: {
      ...toolCalls,
      ...createOfferRequests({ ...parts, redact, subscribe: catalog.subscribe }),
      explain: async (selector) => {
        requireOpen();
        const own = builtInName(selector);
        const rules = await policy.read();
        if (own !== undefined) return { name: own, server: 'holt', tool: own, ...rules.decideBuiltIn(own) };
        const { info, listed, connection } = await finder.bySelector(selector);
        const { name, server, tool } = info;
        return { name, server, tool, ...explainTool(rules, listed.name, connection) };
      },
    },
    close: results.close,
  };
}

function explainTool(policy: Policy, tool: string, { entry }: Connection): PolicyVerdict {
  const { ref, definition, trust } = entry;
  return policy.decide({ server: ref, tool, definition, approved: trust === 'approved' });
}

interface ResultFiles {
  /** Writes a result that is too long to return. */
  readonly write: CutParts['spill'];
  readonly close: () => Promise<void>;
}

/** Stores files in a folder of this host, or in one that outlives it. */
function createResultFiles({ keepsResults, machine, wallNow }: CallsParts): ResultFiles {
  if (keepsResults) {
    const stored = createStoredResults(machine, wallNow);
    return { write: (text) => stored.write(text), close: () => stored.prune() };
  }
  const folder = createTempFolder('holt-');
  let count = 0;
  return {
    write: (text) => {
      count += 1;
      return folder.write(`result-${count}.txt`, text);
    },
    close: () => folder.remove(),
  };
}
