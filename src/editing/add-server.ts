/**
 * `holt add` and `holt add-json` without the user interface: makes a plan that can be shown, then writes it.
 */

import type { JsonValue } from '../kernel/json.ts';
import type { EntryReading } from '../agents/server-shape.ts';
import type { AgentId } from '../kernel/agent-ids.ts';
import type { CredentialStore } from '../kernel/credentials.ts';
import { hasLiteralValues, readRuntimeServers } from '../roster/runtime-servers.ts';
import { unworkable, validateServerConfig, wrongName } from '../roster/validate-server-config.ts';
import { withMemory, type EditParts } from './edit-parts.ts';
import { copySchema, writeEntries } from './entries/write-entries.ts';
import { addToken, withCredential, type PlannedCredential } from './entries/keep-token.ts';
import { lostWarning, placeWarnings, shadowNotes, type KnownServers } from './entries/notes.ts';
import {
  invalidConfig,
  loadContainer,
  planEntry,
  type EntryPlan,
  type EntrySource,
} from './entries/plan-entry.ts';
import { readBack } from './entries/read-back.ts';
import { reportOf, type EditReport } from './edit-report.ts';
import { newOperation } from './previous-content.ts';
import { findTarget, type FoundTarget, type WriteScope } from './writers.ts';

export { alreadyExists } from './entries/plan-entry.ts';

export interface AddRequest {
  readonly name: string;
  /** An entry in holt's own or in opencode's shape. Its placeholders may also be the target agent's own. */
  readonly config: unknown;
  /** `add-json`: the entry may also be in the target agent's own format, and is then written unchanged. */
  readonly raw?: boolean | undefined;
  /** `holt` by default. */
  readonly agent?: AgentId | undefined;
  /** `project` by default. */
  readonly scope?: WriteScope | undefined;
  /** Replaces an existing entry of that name in place. */
  readonly replace?: boolean | undefined;
  readonly token?: string | undefined;
}

export interface AddParts extends EditParts {
  /** The servers that are already defined, for notes about shadowing. */
  readonly roster?: KnownServers | undefined;
  /** Where tokens for holt's own entries are stored. */
  readonly credentials?: CredentialStore | undefined;
}

export interface AddPlan extends EntryPlan {
  readonly agent: AgentId;
  readonly scope: WriteScope;
  readonly file: string;
  readonly action: 'add' | 'replace';
  readonly notes: readonly string[];
  readonly credential?: PlannedCredential;
}

/** Plans an addition without writing anything. Rejects with `server-exists` or `config-invalid`. */
export async function planAdd(request: AddRequest, outer: AddParts): Promise<AddPlan> {
  const parts = withMemory(outer);
  const { name, agent = 'holt', scope = 'project', replace } = request;
  const misnamed = wrongName(name);
  if (misnamed !== undefined) throw invalidConfig([misnamed]);
  const target = findTarget(agent, scope, parts);
  const raw = request.raw === true ? toJson(request.config) : undefined;
  const typed = (await ownContent(name, raw, target, parts)) ?? readConfig(request, parts);
  const given =
    request.token === undefined
      ? { content: typed, warnings: [] }
      : await addToken(typed, { name, token: request.token, target }, parts.credentials);

  // With a token, the entry differs from the given one.
  const asGiven = raw === undefined || request.token !== undefined ? {} : { raw };
  const source: EntrySource = { name, content: given.content, from: sourceOf(request, parts), ...asGiven };
  const plan = await planEntry(source, target, { replace }, parts);
  const moved =
    target.scope === scope
      ? []
      : ["this is the home folder, where there is no project: the entry is the user's"];
  return {
    ...plan,
    agent,
    scope: target.scope,
    file: target.file,
    action: plan.previous === undefined ? 'add' : 'replace',
    warnings: [...lostWarning(plan), ...plan.warnings, ...given.warnings, ...placeWarnings(plan, parts)],
    notes: [...moved, ...shadowNotes(plan, parts)],
    ...(given.credential === undefined ? {} : { credential: given.credential }),
  };
}

/** Writes the planned entry. Rejects when the file has changed since it was planned. */
export async function applyAdd(plan: AddPlan, parts: AddParts): Promise<EditReport> {
  const operation = newOperation(`${plan.action} ${plan.name}`);
  const edited = await withCredential(plan.credential, parts.credentials, () =>
    writeEntries([plan], operation, parts),
  );
  if (plan.agent === 'holt' && plan.scope === 'user' && edited.outcome === 'created')
    await copySchema('mcp', parts.machine);
  return reportOf({ ...plan, server: plan.name, how: 'file' }, edited);
}

function readConfig({ name, config }: AddRequest, { machine }: EditParts): EntryReading {
  const verdict = validateServerConfig(config, name);
  if (!verdict.ok) throw invalidConfig(verdict.errors);
  const [definition] = readRuntimeServers({ [name]: config }, machine).definitions;
  if (definition === undefined) throw invalidConfig(['it is not a server']);
  const errors = unworkable(definition);
  if (errors.length > 0) throw invalidConfig(errors);
  return definition;
}

/** Typed strings may use the target's placeholders; literal values contain none. */
function sourceOf({ config }: AddRequest, { machine }: EditParts): EntrySource['from'] {
  return hasLiteralValues(config) ? { folder: machine.cwd } : 'typed';
}

/** Reads a raw entry as the target's agent would. Undefined when it is not one of that agent's entries. */
async function ownContent(
  name: string,
  raw: JsonValue | undefined,
  target: FoundTarget,
  parts: EditParts,
): Promise<EntryReading | undefined> {
  if (raw === undefined || target.agent === 'holt') return undefined;
  const { container } = await loadContainer(target, parts);
  const place = { target, machine: parts.machine, kind: container.kind, path: container.paths[0] ?? [] };
  const { content, complaints } = readBack(name, raw, place);
  return complaints.some(({ severity }) => severity !== 'info') ? undefined : content;
}

function toJson(config: unknown): JsonValue {
  return JSON.parse(JSON.stringify(config ?? null));
}
