/** A project may leave agents out, and so make servers of the user's vanish. That is its right; that nobody is told is not. */

import { selectAgents } from '../agents/all-agents.ts';
import type { Machine } from '../kernel/machine.ts';
import type { Problem } from '../kernel/problems.ts';
import type { Files } from '../platform/files.ts';
import type { LoadedSettings } from '../settings/load-settings.ts';

/** One for all agents that have files here and are left out by the project's settings alone. */
export function leftOutProblems(
  { settings, contributions }: LoadedSettings,
  { machine, files }: { readonly machine: Machine; readonly files: Files },
): readonly Problem[] {
  const parts = contributions.filter(({ name }) => name === 'agents');
  const theirs = parts.find(({ origin: { from } }) => from === 'project' || from === 'local');
  if (theirs === undefined) return [];
  const own = parts.find(({ origin: { from } }) => from !== 'project' && from !== 'local');
  const wanted = own === undefined ? ['*'] : (own.value as readonly string[]); // the table says that the setting holds this
  const read = new Set(selectAgents(settings.agents).map(({ id }) => id));
  const missed = selectAgents(wanted).filter(
    (agent) => !read.has(agent.id) && agent.locate(machine).some(({ path }) => files.exists(path)),
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
      message: `the settings of this project leave out agents that have files here: ${missed.map(({ id }) => id).join(', ')}`,
      remedy: 'HOLT_AGENTS="*" in the environment reads them all the same.',
    },
  ];
}
