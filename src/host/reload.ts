/** Computes what a reload of the files means for running servers. Pure. */

import { isDeepStrictEqual } from 'node:util';

import type { ServerEntry } from '../connection/supervisor.ts';
import type { Origin } from '../kernel/servers.ts';
import { isAllowed } from '../trust/trust-state.ts';

export interface RosterChange {
  readonly added: readonly ServerEntry[];
  readonly removed: readonly string[];
  /** Something that runs changed. These servers are stopped, and restarted if they ran. */
  readonly restarted: readonly ServerEntry[];
  /** Only limits, filters and the like changed. These servers keep running. */
  readonly adjusted: readonly ServerEntry[];
  /** Only the position in a file changed. These are not reported. */
  readonly moved: readonly ServerEntry[];
}

export function diffEntries(before: readonly ServerEntry[], after: readonly ServerEntry[]): RosterChange {
  const old = new Map(before.map((entry) => [entry.ref, entry]));
  const fresh = new Map(after.map((entry) => [entry.ref, entry]));
  const both = after.flatMap((entry) => {
    const known = old.get(entry.ref);
    return known === undefined ? [] : [{ known, entry }];
  });
  const others = both.filter(({ known, entry }) => !isDeepStrictEqual(known, entry));
  const unaffected = others.filter(({ known, entry }) => runsSameProgram(known, entry));
  return {
    added: after.filter(({ ref }) => !old.has(ref)),
    removed: before.filter(({ ref }) => !fresh.has(ref)).map(({ ref }) => ref),
    restarted: others.filter(({ known, entry }) => !runsSameProgram(known, entry)).map(({ entry }) => entry),
    adjusted: unaffected.filter(({ known, entry }) => !hasSameText(known, entry)).map(({ entry }) => entry),
    moved: unaffected.filter(({ known, entry }) => hasSameText(known, entry)).map(({ entry }) => entry),
  };
}

export function isNothing({ added, removed, restarted, adjusted }: RosterChange): boolean {
  return [added, removed, restarted, adjusted].every(({ length }) => length === 0);
}

/**
 * Whether both start the same program with the same arguments, or reach the same URL with the same headers,
 * and both are allowed to.
 */
function runsSameProgram(left: ServerEntry, right: ServerEntry): boolean {
  // A disabled server that was not approved may be asking for approval just now; that start must end too.
  if (left.definition.enabled && !right.definition.enabled) return false;
  return mayRun(left) === mayRun(right) && isDeepStrictEqual(launchFields(left), launchFields(right));
}

/** Compares entries without line numbers. */
function hasSameText(left: ServerEntry, right: ServerEntry): boolean {
  return isDeepStrictEqual(withoutLines(left), withoutLines(right));
}

function withoutLines({ definition, ...entry }: ServerEntry): unknown {
  const { origin, parts, alsoIn, offBy: _whereTheSwitchIs, ...said } = definition;
  return { ...entry, ...said, places: [[origin], parts, alsoIn].map((places) => places.map(fileOf)) };
}

function fileOf({ agent, scope, file }: Origin): unknown {
  return { agent, scope, file };
}

function mayRun({ definition, trust }: ServerEntry): boolean {
  return definition.enabled && isAllowed(trust);
}

/** Includes the file, because placeholders and relative paths depend on its folder, but not the line. */
function launchFields({ definition, start }: ServerEntry): unknown {
  const { name, launch, dialect, inputs, auth, guarded, origin } = definition;
  return {
    name,
    launch,
    dialect,
    inputs,
    auth,
    guarded,
    file: origin.file,
    agent: origin.agent,
    scope: origin.scope,
    startsIn: start?.folder,
  };
}
