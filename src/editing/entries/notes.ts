/** Notes for a person about an entry: other definitions of its name, secrets, git. */

import { agentIds } from '../../kernel/agent-ids.ts';
import type { Machine } from '../../kernel/machine.ts';
import { scopes, type Origin } from '../../kernel/servers.ts';
import type { Candidate, RankedServers } from '../../roster/rank.ts';
import { isAllowed } from '../../trust/trust-state.ts';
import type { EditParts } from '../edit-parts.ts';
import { isGitIgnored } from './git-ignored.ts';
import type { EntryPlan } from './plan-entry.ts';
import { locationOf } from './read-back.ts';

/** Returns every other place that defines the name. */
export function otherOrigins(
  name: string,
  file: string,
  roster: RankedServers | undefined,
): readonly Origin[] {
  const entries = [...(roster?.servers ?? []), ...(roster?.shadowed ?? [])];
  return entries
    .filter(({ definition }) => definition.name === name)
    .flatMap(({ definition }) => [definition.origin, ...definition.alsoIn])
    .filter((origin) => origin.file !== file);
}

/** The configured servers, and every single definition if the caller has them. */
export type KnownServers = RankedServers & { readonly candidates?: readonly Candidate[] };

export function shadowNotes(
  { name, target }: EntryPlan,
  { roster, machine }: { readonly roster?: KnownServers | undefined; readonly machine: Machine },
): readonly string[] {
  const own = rank(target.scope, target.agent);
  const isGuarded = locationOf(target, machine)?.guarded === true;
  return otherOrigins(name, target.file, roster).map((origin) => {
    const { agent, scope, file } = origin;
    const where = `"${name}" is also defined in ${file} (${agent}, ${scope})`;
    if (rank(scope, agent) >= own)
      return `${where}; the new entry comes first${isGuarded ? ' once it is approved' : ''}`;
    if (isApproved(origin, name, roster)) return `${where}, which comes first: the new entry is shadowed`;
    return `${where}, which is not approved: until it is, the new entry comes first${isGuarded ? ' once approved' : ''}`;
  });
}

/** An entry that must not run cannot take a name from another. */
function isApproved(origin: Origin, name: string, roster: KnownServers | undefined): boolean {
  const all = roster?.candidates ?? [...(roster?.servers ?? []), ...(roster?.shadowed ?? [])];
  return all
    .filter(({ definition }) => definition.name === name && definition.origin.file === origin.file)
    .every(({ trust }) => isAllowed(trust));
}

function rank(scope: Origin['scope'], agent: Origin['agent']): number {
  return scopes.indexOf(scope) * agentIds.length + agentIds.indexOf(agent);
}

export function lostWarning({ lost, target }: EntryPlan): readonly string[] {
  return lost.length === 0 ? [] : [`${target.reader.label} cannot express: ${lost.join(', ')}`];
}

/** Warns when a server that is off here would be on in the target. */
export function switchWarning({ lost, target }: EntryPlan, isOn: boolean): readonly string[] {
  if (isOn || !lost.includes('enabled')) return [];
  return [`it is switched off here, and ${target.reader.label} has no word for that: there it will be on`];
}

export function placeWarnings(
  { holdsSecret, target }: EntryPlan,
  { machine, files }: EditParts,
): readonly string[] {
  const { scope, file } = target;
  const warnings: string[] = [];
  if (holdsSecret && scope === 'project') {
    warnings.push(
      `the entry holds a secret as plain text, and ${file} is meant to be committed: use a variable instead`,
    );
  }
  if (scope === 'local' && isGitIgnored(file, machine, files) === false) {
    const relative = machine.path.relative(machine.projectRoot, file).split(machine.path.sep).join('/');
    warnings.push(`${file} is not git-ignored: add "${relative}" to .gitignore`);
  }
  return warnings;
}
