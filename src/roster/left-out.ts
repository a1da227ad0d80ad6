/**
 * Reports that a project's settings exclude the project's own files of an agent: the user may look for the
 * servers in them.
 */

import { selectAgents } from '../agents/all-agents.ts';
import { guardByPlace } from '../discovery/discover.ts';
import type { Machine } from '../kernel/machine.ts';
import type { Problem } from '../kernel/problems.ts';
import type { Files } from '../platform/files/files.ts';
import type { LoadedSettings } from '../settings/load-settings.ts';

/**
 * Returns one problem for all agents that have files in the project and that only the project's settings
 * exclude.
 */
export function leftOutProblems(
  { settings, projectSettings, contributions }: LoadedSettings,
  { machine, files }: { readonly machine: Machine; readonly files: Files },
): readonly Problem[] {
  const theirs = contributions.find(({ name, forOwnServers }) => name === 'agents' && forOwnServers);
  if (theirs === undefined) return [];
  const read = new Set(selectAgents(projectSettings.agents).map(({ id }) => id));
  const missed = selectAgents(settings.agents).filter(
    (agent) =>
      !read.has(agent.id) &&
      agent
        .locate(machine)
        .some((location) => guardByPlace(location, machine).guarded && files.exists(location.path)),
  );
  if (missed.length === 0) return [];
  const { file = '', line = 1 } = theirs.origin;
  return [
    {
      severity: 'warning',
      code: 'agents-left-out',
      file,
      line,
      column: 1,
      message: `the settings of this project leave out its own files of these agents: ${missed.map(({ id }) => id).join(', ')}`,
      remedy: 'HOLT_AGENTS="*" in the environment reads them all the same.',
    },
  ];
}
