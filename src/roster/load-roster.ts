/**
 * Loads everything that is configured on this machine, ranked. All code that needs the configured servers uses
 * this.
 */

import type { AgentFormat } from '../agents/agent-format.ts';
import { selectAgents, unknownAgents } from '../agents/all-agents.ts';
import { discover, type AgentServers, type SourceSummary } from '../discovery/discover.ts';
import type { SwitchList } from '../discovery/switches.ts';
import { agentIds } from '../kernel/agent-ids.ts';
import type { Machine } from '../kernel/machine.ts';
import { nearest } from '../kernel/nearest.ts';
import type { Problem } from '../kernel/problems.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { Files, FileOutcome } from '../platform/files/files.ts';
import type { Identity } from '../platform/files/load-config-file.ts';
import { loadSettings, type LoadedSettings } from '../settings/load-settings.ts';
import { startChoiceOf } from '../settings/settings.ts';
import { plainStart, type StartIn } from '../trust/start-folder.ts';
import type { Approvals } from '../trust/trust-state.ts';
import { applyOverrides, loadOverrides, overridesFile } from './overrides.ts';
import { rankServers, type RankedServers, type RankOfAgent } from './rank.ts';
import { findDuplicates, excludedAgentProblems, unsetProblems } from './roster-problems.ts';
import { readRuntimeServers } from './runtime-servers.ts';

export interface RosterParts {
  readonly machine: Machine;
  readonly files: Files;
  readonly identity: Identity | undefined;
  readonly approvals: Approvals;
}

export interface RosterOptions {
  /** Overrides the setting of that name. */
  readonly agents?: readonly string[] | undefined;
  /** Servers that no file defines. They take precedence over all servers from files. */
  readonly servers?: Readonly<Record<string, unknown>> | undefined;
  /** Servers that the program's plugins provide. All other servers take precedence over them. */
  readonly pluginServers?: Readonly<Record<string, unknown>> | undefined;
}

export interface Roster extends RankedServers {
  readonly problems: readonly Problem[];
  readonly sources: readonly SourceSummary[];
  readonly folders: readonly string[];
  /** Each agent's lists that switch servers off or on. */
  readonly switches: readonly SwitchList[];
  readonly settings: LoadedSettings;
  /** Returns where a program would start, and why; undefined for remote servers. */
  readonly startOf: (definition: ServerDefinition) => StartIn | undefined;
}

export async function loadRoster(options: RosterOptions, parts: RosterParts): Promise<Roster> {
  const settings = loadSettings(parts.machine, parts.files, {}, parts.identity);
  const wanted = options.agents ?? settings.settings.agents;
  const formats = selectAgents(wanted);
  const projectFormats = selectAgents(options.agents ?? settings.projectSettings.agents);
  const found = await discover(formats, {
    ...parts,
    projectAgents: new Set(projectFormats.map(({ id }) => id)),
    safeDirectories: settings.settings.trust.safeDirectories,
  });
  const { overrides, problems: overrideProblems } = loadOverrides(parts.machine, parts.files);
  const runtime = readRuntimeServers(options.servers ?? {}, parts.machine);
  const plugins = readRuntimeServers(options.pluginServers ?? {}, parts.machine, 'plugin');
  const agents: readonly AgentServers[] = [
    { agent: 'holt', definitions: [...runtime.definitions, ...plugins.definitions] },
    ...found.agents.map(({ agent, definitions }) => ({
      agent,
      definitions: applyOverrides(definitions, overrides, overridesFile(parts.machine)),
    })),
  ];
  const ranked = rankServers(agents, parts.approvals, ownRank(formats, projectFormats));
  return {
    ...ranked,
    sources: found.sources,
    folders: found.folders,
    switches: found.agents.flatMap(({ switches = [] }) => switches),
    settings,
    startOf: (definition) =>
      plainStart(definition, {
        machine: parts.machine,
        folderTrust: () => parts.approvals.folderTrust(),
        choice: startChoiceOf(settings.settings, definition),
      }),
    problems: [
      ...settings.problems,
      ...(options.agents === undefined ? excludedAgentProblems(settings, parts) : []),
      ...(parts.approvals.problems ?? []),
      ...unknownAgents(options.agents ?? []).map(unknownAgent),
      ...overrideProblems,
      ...runtime.problems,
      ...plugins.problems,
      ...found.problems,
      ...findDuplicates(ranked.servers),
      ...unsetProblems([...ranked.servers, ...ranked.shadowed], {
        env: parts.machine.env,
        placeOf: found.placeOf,
      }),
    ],
  };
}

/** Returns the project's order of agents; undefined when it is the same as the user's. */
function ownRank(
  formats: readonly AgentFormat[],
  projectFormats: readonly AgentFormat[],
): RankOfAgent | undefined {
  const ranks = new Map(projectFormats.map(({ id }, rank) => [id, rank]));
  const shared = formats.filter(({ id }) => ranks.has(id));
  if (shared.every(({ id }, rank) => ranks.get(id) === rank)) return undefined;
  return (agent) => ranks.get(agent) ?? ranks.size;
}

function unknownAgent(word: string): Problem {
  const near = nearest(word, agentIds);
  return {
    severity: 'warning',
    code: 'setting-invalid',
    file: '',
    line: 1,
    column: 1,
    message: `Unknown agent "${word}"`,
    ...(near === undefined ? {} : { remedy: `Did you mean "${near}"?` }),
  };
}

/** Every path at which a change can change the roster. Folders end with a separator. */
export function watchedPaths({ sources, folders }: Roster, { path, holtHome }: Machine): readonly string[] {
  return [
    ...sources.map(({ file }) => file),
    ...folders.map((folder) => folder + path.sep),
    ...['trust.json', 'config.json', 'overrides.json'].map((name) => path.join(holtHome, name)),
  ];
}

const brokenCodes = new Set(['file-syntax', 'file-too-deep', 'file-shape']);

/** Calls `read` with files in which the last good content replaces content that is broken now. */
export type LoadLastGood = (read: (files: Files) => Promise<Roster>) => Promise<Roster>;

/**
 * Prevents a half-saved file from making its servers disappear: its last good content is used until it parses
 * again.
 */
export function createLastGoodLoader(files: Files): LoadLastGood {
  let lastGood = new Map<string, FileOutcome>();
  return async (read) => {
    const loaded = new Map<string, FileOutcome>();
    const roster = await read({
      ...files,
      load: (path, maxBytes) => {
        const outcome = files.load(path, maxBytes);
        loaded.set(path, outcome);
        return outcome;
      },
    });
    const broken = roster.problems.filter(({ code }) => brokenCodes.has(code));
    const replaced = new Map<string, FileOutcome>();
    for (const { file } of broken) {
      const outcome = lastGood.get(file);
      if (outcome?.kind === 'file') replaced.set(file, outcome);
      else loaded.delete(file);
    }
    lastGood = new Map([...lastGood, ...loaded, ...replaced]);
    if (replaced.size === 0) return roster;
    const repaired = await read({
      ...files,
      load: (path, maxBytes) => replaced.get(path) ?? files.load(path, maxBytes),
    });
    const problems = [...broken.filter(({ file }) => replaced.has(file)), ...repaired.problems];
    return { ...repaired, problems };
  };
}
