/** Builds what calls need: policy, hooks, questions to people, files for long results. */

import type { Connection } from '../../connection/connection.ts';
import { clientInfoOf } from '../../auth/app-identity.ts';
import type { ServerDefinition } from '../../kernel/servers.ts';
import type { Policy, PolicyVerdict } from '../../policy/policy.ts';
import { createKeptTexts } from '../../platform/files/kept-texts.ts';
import { createTempFolder } from '../../platform/files/temp-folder.ts';
import type { CutParts } from '../../results/make-result.ts';
import { settingsFor } from '../../settings/load-settings.ts';
import type { EventBus } from '../event-bus.ts';
import { hookPartsOf } from '../wire-hooks.ts';
import type { HostShared } from '../host-shared.ts';
import { createBuiltIns } from './built-ins.ts';
import type { HostPolicy } from './host-policy.ts';
import type { KnownTools } from './known-tools.ts';
import { possibleOwners, toolIn } from './read-selector.ts';
import { createToolCalls, type ToolCalls, type ToolCallsParts } from './tool-calls.ts';
import type { ToolFinder } from './tool-finder.ts';

export interface CallWiring {
  readonly known: KnownTools;
  readonly finder: ToolFinder;
  readonly policy: HostPolicy;
  readonly redact: (text: string) => string;
  readonly requireOpen: () => void;
}

export function wireCalls(shared: HostShared, wiring: CallWiring): ToolCalls {
  const { options, world, roster, hooks, wake } = shared;
  const { app, bus, clock, requests, startQuestions, warn } = world;
  const { known, finder, policy, redact, requireOpen } = wiring;
  const spill = wireSpill(shared);
  const cut = (definition?: ServerDefinition): CutParts => ({
    maxBytes: settingsFor(roster.current.settings, definition).results,
    spill,
  });
  const granted = new Set<string>();
  const { askPermission: ask } = options.interaction ?? {};
  return createToolCalls({
    finder,
    wake,
    startQuestions,
    now: (name) => known.now(name),
    redact,
    requireOpen,
    ...hookPartsOf(world),
    warn,
    hooks,
    cut,
    requests: {
      begin: (server, call) => requests.calls.begin(server, call),
      answer: (server, asked, call) => requests.answer(server, asked, call),
      watchPages: (server, ids, call) => requests.watchPages(server, ids, call),
    },
    emit: bus.emit,
    logLevel: () => logLevelOf(bus),
    sender: { info: clientInfoOf(app), capabilities: { ...requests.capabilities } },
    whose: (name, server) => whoseName(known, name, server),
    builtIn: createBuiltIns({ host: shared.host, policy, granted, ask, clock, cut }),
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
}

/**
 * Finds the owner of a public name in the tool table. If its server never listed its tools, guesses from the
 * name.
 */
function whoseName(
  known: KnownTools,
  name: string,
  failed: string | undefined,
): ReturnType<ToolCallsParts['whose']> {
  const connections = known.connections();
  const { server, tool } = known.table.pairOf(name) ?? ownerIn(name, failed, connections);
  const owner = connections.find(({ entry }) => entry.ref === server);
  return { server, tool, agent: owner?.entry.definition.origin.agent ?? '' };
}

function ownerIn(
  name: string,
  failed: string | undefined,
  connections: readonly Connection[],
): { readonly server: string; readonly tool: string } {
  const refs = connections.map(({ entry }) => entry.ref);
  const [only = '', ...others] = failed === undefined ? possibleOwners(name, refs) : [failed];
  const server = others.length === 0 ? only : '';
  return { server, tool: toolIn(name, server) };
}

/**
 * Asks servers for the log level `info` while `mcp.log` has a listener. A caller can ask for more in `meta`.
 */
export function logLevelOf({ isHeard }: Pick<EventBus, 'isHeard'>): string | undefined {
  return isHeard('mcp.log') ? 'info' : undefined;
}

export function explainTool(policy: Policy, tool: string, { entry }: Connection): PolicyVerdict {
  const { ref, definition, trust } = entry;
  return policy.decide({ server: ref, tool, definition, approved: trust === 'approved' });
}

/**
 * Writes results that are too long to return to files: in a folder of this host, or in one that outlives it.
 */
function wireSpill({ parts, world, onClose }: HostShared): CutParts['spill'] {
  if (parts.keepsResults === true) {
    const kept = createKeptTexts(world.machine, world.wallNow);
    onClose(() => kept.prune());
    return (text) => kept.write(text);
  }
  const folder = createTempFolder('holt-');
  onClose(() => folder.remove());
  let count = 0;
  return (text) => {
    count += 1;
    return folder.write(`result-${count}.txt`, text);
  };
}
