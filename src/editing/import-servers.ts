/**
 * `holt import`: writes entries of one agent in another agent's format. Reports what cannot be copied, with
 * the reason.
 */

import type { AgentId } from '../kernel/agent-ids.ts';
import { HoltError } from '../kernel/errors.ts';
import { nearest } from '../kernel/nearest.ts';
import { onlyCopies, type SwitchableServers } from '../roster/copies.ts';
import type { RankedServers, RosterEntry } from '../roster/rank.ts';
import { wrongName } from '../roster/validate-server-config.ts';
import { isAllowed } from '../trust/trust-state.ts';
import { changedMeanwhile } from './read-settled.ts';
import { withMemory, type EditParts, type Remembering } from './edit-parts.ts';
import { reportOf, type EditReport } from './edit-report.ts';
import { copySchema, writeEntries } from './entries/write-entries.ts';
import type { FoundEntry } from './entries/find-entry.ts';
import { locateEntry } from './entries/existing-entry.ts';
import { lostWarning, placeWarnings, switchWarning } from './entries/notes.ts';
import { planEntry, type EntryPlan } from './entries/plan-entry.ts';
import { locationOf, unreadFields } from './entries/read-back.ts';
import { newOperation } from './previous-content.ts';
import { findTarget, type FoundTarget, type WriteScope } from './writers.ts';
import { agentFormat } from '../agents/all-agents.ts';

export interface ImportRequest {
  readonly from: AgentId;
  /** `holt` by default. */
  readonly to?: AgentId | undefined;
  /** All servers when empty or omitted. */
  readonly names?: readonly string[] | undefined;
  /**
   * By default each server stays where it came from: the user's with the user, the project's in the project.
   */
  readonly scope?: WriteScope | undefined;
  readonly replace?: boolean | undefined;
}

export interface ImportParts extends EditParts {
  readonly roster: SwitchableServers;
}

export interface ImportPlan {
  readonly from: AgentId;
  readonly to: AgentId;
  readonly entries: readonly EntryPlan[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

export async function planImport(request: ImportRequest, given: ImportParts): Promise<ImportPlan> {
  const parts = withMemory(given);
  const { from, to = 'holt' } = request;
  const entries: EntryPlan[] = [];
  const skipped: { name: string; reason: string }[] = [];
  for (const source of sourcesOf(request, onlyCopies(parts.roster, { agent: from }))) {
    const { name } = source.definition;
    try {
      entries.push(await planOne(source, { ...request, to }, parts));
    } catch (error) {
      if (!HoltError.is(error) || !passedOver.has(error.code)) throw error;
      skipped.push({ name, reason: error.message });
    }
  }
  return { from, to, entries, skipped };
}

/** Errors that concern only one entry. */
const passedOver = new Set<string>([
  'server-exists',
  'config-invalid',
  'scope-unavailable',
  'trust-required',
]);

/** Writes each file once; all the writes are undone together. */
export async function applyImport(plan: ImportPlan, parts: EditParts): Promise<readonly EditReport[]> {
  const operation = newOperation(`import from ${plan.from}`);
  const reports: EditReport[] = [];
  const targets = new Set(plan.entries.map(({ target }) => target.file));
  for (const file of targets) {
    const plans = plan.entries.filter(({ target }) => target.file === file);
    const [first, ...others] = plans;
    if (first === undefined) continue;
    const edited = await writeEntries([first, ...others], operation, parts);
    const { agent, scope } = first.target;
    if (agent === 'holt' && scope === 'user' && edited.outcome === 'created')
      await copySchema('mcp', parts.machine);
    reports.push(
      ...plans.map(({ name, shown, warnings }) =>
        reportOf(
          { server: name, agent, scope, how: 'file', shown, warnings, notes: [] },
          { ...edited, file },
        ),
      ),
    );
  }
  return reports;
}

/** Returns an agent's servers, or those with the given names. Throws `server-not-found`. */
function sourcesOf({ from, names = [] }: ImportRequest, { servers }: RankedServers): readonly RosterEntry[] {
  const byName = new Map(servers.map((entry) => [entry.definition.name, entry]));
  if (names.length === 0) return servers;
  return names.map((name) => {
    const found = byName.get(name);
    if (found !== undefined) return found;
    const known = [...byName.keys()].toSorted();
    const near = nearest(name, known);
    const remedy = near === undefined ? `It has ${known.join(', ') || 'none'}.` : `Did you mean "${near}"?`;
    throw new HoltError(
      'server-not-found',
      `${from} has no server called "${name}"`,
      { server: name, known },
      { remedy },
    );
  });
}

async function planOne(
  { definition, trust }: RosterEntry,
  request: ImportRequest & { readonly to: AgentId },
  parts: ImportParts & Remembering,
): Promise<EntryPlan> {
  const { name, origin } = definition;
  const misnamed = wrongName(name);
  if (misnamed !== undefined) throw new HoltError('config-invalid', misnamed, { errors: [misnamed] });
  const { machine } = parts;
  const target = findTarget(request.to, request.scope ?? scopeFor(origin.scope), parts);
  if (!isAllowed(trust) && locationOf(target, machine)?.guarded !== true) {
    // Outside the project it would run without approval, and copying must not bypass the question.
    const message = `it comes from ${origin.file} and is not approved`;
    throw new HoltError('trust-required', message, { server: name, reason: 'untrusted' });
  }
  const found = await locateEntry(definition, parts);
  if (found === 'changed') throw changedMeanwhile(origin.file);
  const isSameFormat = origin.agent === target.reader.id && definition.parts.length === 1;
  const source = {
    name,
    content: definition,
    from: { folder: machine.path.dirname(origin.file) },
    ...(isSameFormat && found !== undefined ? { raw: found.value } : {}),
  };
  const plan = await planEntry(source, target, { replace: request.replace }, parts);
  const unread = found === undefined || isSameFormat ? [] : unreadIn(definition, found, parts);
  const full = { ...plan, lost: [...plan.lost, ...unread] };
  const warnings = [
    ...switchWarning(plan, definition.enabled),
    ...lostWarning(full),
    ...plan.warnings,
    ...placeWarnings(plan, parts),
  ];
  return { ...full, warnings };
}

function unreadIn(
  { name, origin }: RosterEntry['definition'],
  { path, key, value }: FoundEntry,
  { machine }: EditParts,
): readonly string[] {
  const target = { reader: agentFormat(origin.agent), file: origin.file };
  return unreadFields(name, value, { target, machine, kind: typeof key === 'number' ? 'list' : 'map', path });
}

function scopeFor(scope: RosterEntry['definition']['origin']['scope']): FoundTarget['scope'] {
  return scope === 'project' || scope === 'local' ? scope : 'user';
}
