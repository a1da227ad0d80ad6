/** Reads every agent's files and lets each agent combine its own. Does nothing but open files. */

import type { AgentFormat, ConfigFile, Location } from '../agents/agent-format.ts';
import type { AgentId } from '../kernel/agent-ids.ts';
import { liesInProject, type Machine } from '../kernel/machine.ts';
import type { Problem } from '../kernel/problems.ts';
import type { Scope, ServerDefinition } from '../kernel/servers.ts';
import type { Files } from '../platform/files/files.ts';
import type { Identity } from '../platform/files/load-config-file.ts';
import { combineLayers } from './combine.ts';
import {
  createFindPlace,
  openSource,
  readSource,
  type FindPlace,
  type ReadLayer,
  type SourceParts,
} from './load-source.ts';
import { applySharedSwitches, type SwitchList } from './switches.ts';

export interface DiscoverParts {
  readonly machine: Machine;
  readonly files: Files;
  readonly identity: Identity | undefined;
  readonly safeDirectories?: readonly string[];
  /** The agents whose files in the project are read. Default: all of them. */
  readonly projectAgents?: ReadonlySet<AgentId>;
}

/** A file that was looked for, and what was found in it. */
export interface SourceSummary {
  readonly agent: AgentId;
  readonly scope: Scope;
  readonly file: string;
  readonly exists: boolean;
  readonly servers: number;
  readonly readers: readonly AgentId[];
  /** Permission bits of a file that was read. */
  readonly mode: number | undefined;
}

export interface AgentServers {
  readonly agent: AgentId;
  /** For each name, the definition that takes effect comes first. */
  readonly definitions: readonly ServerDefinition[];
  /** The agent's lists that switch servers off or on. */
  readonly switches?: readonly SwitchList[];
}

export interface Discovery {
  readonly agents: readonly AgentServers[];
  readonly sources: readonly SourceSummary[];
  readonly problems: readonly Problem[];
  /** Folders in which any new file may be relevant. */
  readonly folders: readonly string[];
  /** Locates a string of a definition in its file. References all parsed documents, so do not store it. */
  readonly placeOf: FindPlace;
}

export async function discover(formats: readonly AgentFormat[], parts: DiscoverParts): Promise<Discovery> {
  const readings = withSharedSwitches(
    await Promise.all(formats.map((format) => readAgent(format, parts))),
    formats,
    parts.machine,
  );
  const byAgent = new Map(readings.map((reading) => [reading.agent, reading.placeOf]));
  return {
    agents: readings.map(({ agent, definitions, switches }) => ({ agent, definitions, switches })),
    sources: readings.flatMap(({ sources }) => sources),
    problems: readings.flatMap(({ problems }) => problems),
    folders: readings.flatMap(({ folders }) => folders),
    placeOf: (definition, text) => byAgent.get(definition.origin.agent)?.(definition, text),
  };
}

interface AgentReading extends AgentServers {
  readonly switches: readonly SwitchList[];
  readonly placeOf: FindPlace;
  readonly folders: readonly string[];
  readonly sources: readonly SourceSummary[];
  readonly problems: readonly Problem[];
}

async function readAgent(format: AgentFormat, discoverParts: DiscoverParts): Promise<AgentReading> {
  const { machine, files } = discoverParts;
  const problems: Problem[] = [];
  const parts: SourceParts = { safeDirectories: [], ...discoverParts, problems };
  const layers: ReadLayer[] = [];
  const found: { location: Location; path: string; exists: boolean; mode: number | undefined }[] = [];
  const folders: string[] = [];
  const seen = new Set<string>();
  const queue = [...format.locate(machine)];

  for (let location = queue.shift(); location !== undefined; location = queue.shift()) {
    const guarded = guardByPlace(location, machine);
    if (isLeftOut(guarded, format, discoverParts) || isHidden(location, format, parts)) continue;
    if (location.each !== undefined) folders.push(location.path);
    for (const path of expand(location, machine, files)) {
      if (seen.has(path)) continue;
      seen.add(path);
      const opened = openSource(path, guarded, parts);
      if (opened.kind === 'missing') {
        found.push({ location: guarded, path, exists: false, mode: undefined });
        continue;
      }
      const source = await readSource(path, opened, { location: guarded, format, parts });
      const mode = source.kind === 'read' ? source.mode : undefined;
      found.push({ location: guarded, path, exists: true, mode });
      if (source.kind !== 'read' || isRepeated(path, source.realPath, seen)) continue;
      layers.push({ file: source.file, layer: format.layer(source.file) });
      queue.unshift(...followed(format, source.file));
    }
  }
  problems.push(...noticed(format, discoverParts));

  const sources = found.map(({ location, path, exists, mode }) => ({
    agent: format.id,
    scope: location.scope,
    file: path,
    exists,
    servers: layers.find(({ file }) => file.path === path)?.layer.entries.length ?? 0,
    readers: format.readers ?? [],
    mode,
  }));
  const { definitions, switches } = combineLayers(format, layers);
  const placeOf = createFindPlace(layers);
  return { agent: format.id, definitions, switches, placeOf, sources, problems, folders };
}

/**
 * An agent that asks about each server of a shared file stores the user's answers in its own files. This
 * applies the answers to the shared file's servers.
 */
function withSharedSwitches(
  readings: readonly AgentReading[],
  formats: readonly AgentFormat[],
  machine: Machine,
): readonly AgentReading[] {
  const lists = readings.flatMap(({ switches }) => switches.filter(({ shared }) => shared.length > 0));
  if (lists.length === 0) return readings;
  const listsFor = (file: string): readonly SwitchList[] => {
    const sharing = formats.filter((format) => format.sharesFile?.(file, machine));
    return lists.filter(({ agent }) => sharing.some(({ id }) => id === agent));
  };
  return readings.map((reading) =>
    reading.agent === 'mcp-json'
      ? {
          ...reading,
          definitions: reading.definitions.map((definition) =>
            applySharedSwitches(definition, listsFor(definition.origin.file)),
          ),
        }
      : reading,
  );
}

/** True if the project's settings exclude the project's own files of this agent. */
function isLeftOut(
  { guarded }: Location,
  { id }: AgentFormat,
  { projectAgents }: Pick<DiscoverParts, 'projectAgents'>,
): boolean {
  return guarded && projectAgents?.has(id) === false;
}

/** True if the agent reads another file instead. Reports the hidden file if it exists. */
function isHidden(location: Location, format: AgentFormat, { files, problems }: SourceParts): boolean {
  const { path, unless } = location;
  if (unless === undefined || !files.exists(unless)) return false;
  if (files.exists(path)) problems.push(hiddenFile(format, path, unless));
  return true;
}

/** A file that a project's file refers to is no more trustworthy than the project's file. */
function followed(format: AgentFormat, file: ConfigFile): readonly Location[] {
  const locations = format.follow?.(file) ?? [];
  if (!file.location.guarded) return locations;
  return locations.map((location) => asProject(location));
}

function asProject(location: Location): Location {
  return { ...location, guarded: true, scope: 'project' };
}

const fileStart = { line: 1, column: 1 } as const;

function hiddenFile(format: AgentFormat, path: string, by: string): Problem {
  const message = `${format.label} does not look at this file, because ${by} exists`;
  return { severity: 'warning', code: 'agent-ignores', file: path, ...fileStart, message };
}

/** Reports files that are only mentioned and not read. */
function noticed(format: AgentFormat, { machine, files }: DiscoverParts): readonly Problem[] {
  const existing = (paths: readonly string[] = []): readonly string[] =>
    paths.filter((path) => files.exists(path));
  return [
    ...existing(format.mentions?.(machine)).map(fileBeyond),
    ...existing(format.scripts?.(machine)).map((path) => notEvaluated(format, path)),
  ];
}

function fileBeyond(path: string): Problem {
  const message = 'the file lies above the project: agents that look further up read it, holt does not';
  return { severity: 'info', code: 'beyond-walk', file: path, ...fileStart, message };
}

function notEvaluated(format: AgentFormat, path: string): Problem {
  const message = `${format.label} runs this file as a program to learn its settings; holt never does, so servers it would add are not listed`;
  return { severity: 'info', code: 'not-evaluated', file: path, ...fileStart, message };
}

/** A file with two paths, such as a linked dotfile, is read once. */
function isRepeated(path: string, realPath: string, seen: Set<string>): boolean {
  if (realPath === path) return false;
  if (seen.has(realPath)) return true;
  seen.add(realPath);
  return false;
}

function expand(location: Location, machine: Machine, files: Files): readonly string[] {
  const { each, below } = location;
  if (each === undefined) return [location.path];
  return files
    .list(location.path)
    .filter((name) => each.test(name))
    .map((name) => machine.path.join(location.path, name, below ?? ''));
}

/** A location inside the project belongs to the project, whatever scope its agent assigns. */
export function guardByPlace(location: Location, machine: Machine): Location {
  if (location.guarded || location.text !== undefined || location.scope === 'managed') return location;
  return liesInProject(location.path, machine) ? asProject(location) : location;
}
