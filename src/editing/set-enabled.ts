/** `holt enable` and `holt disable`: the agent's own switch where its file has one, else an override of holt's own. */

import { insertEntry, replaceValue, type EditResult } from '../documents/edit-document.ts';
import type { JsonValue } from '../documents/tree.ts';
import { HoltError } from '../kernel/errors.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { FileEdited } from './edit-file.ts';
import { withMemory, type EditParts } from './edit-parts.ts';
import { reportOf, type EditReport } from './edit-report.ts';
import {
  editExisting,
  findExisting,
  notOurs,
  whyNotOurs,
  type ExistingEntry,
} from './entries/existing-entry.ts';
import { maskEntry } from './entries/mask-entry.ts';
import { overrideOf, setOverride } from './overrides.ts';
import { newOperation, type Operation } from './undo.ts';
import type { Switch } from './writers/spelling.ts';

export type SwitchState = 'on' | 'off';

/** `definition` as the roster has it, overrides included. */
export async function setEnabled(
  definition: ServerDefinition,
  wanted: SwitchState,
  given: EditParts,
): Promise<EditReport> {
  const parts = withMemory(given);
  const { name, origin } = definition;
  const operation = newOperation(`${wanted === 'on' ? 'enable' : 'disable'} ${name}`);
  if (
    origin.scope === 'managed' &&
    wanted === 'on' &&
    !definition.enabled &&
    overrideOf(definition, parts).enabled !== false
  ) {
    throw notOurs(definition, `an administrator switched it off in ${origin.file}`, 'Ask them.');
  }
  const report = { server: name, agent: origin.agent, scope: origin.scope, warnings: [] } as const;
  const { existing, edited, obstacle } = await flipInFile(definition, { wanted, operation }, parts);
  if (existing !== undefined && edited !== undefined) {
    await clearOverride(definition, operation, parts);
    return reportOf({ ...report, how: 'file', shown: shownAfter(existing, wanted), notes: [] }, edited);
  }
  const shown = JSON.stringify({ enabled: wanted === 'on' });
  if (wanted === 'on' && definition.enabled && overrideOf(definition, parts).enabled === undefined) {
    const untouched = { file: origin.file, outcome: 'unchanged', tightened: false, warnings: [] } as const;
    return reportOf({ ...report, how: 'file', shown, notes: ['it was on already'] }, untouched);
  }
  const overridden = await setOverride(definition, { enabled: wanted === 'on' }, operation, parts);
  const notes = [`${obstacle ?? 'its entry cannot be found'}: only holt is told that it is ${wanted}`];
  return reportOf({ ...report, how: 'override', shown, notes }, overridden);
}

interface Flipped {
  readonly existing?: ExistingEntry;
  /** Set when the file says it now. */
  readonly edited?: FileEdited;
  readonly obstacle?: string | undefined;
}

/** The agent's own file, where it is ours to edit. */
async function flipInFile(
  definition: ServerDefinition,
  { wanted, operation }: { readonly wanted: SwitchState; readonly operation: Operation },
  parts: EditParts,
): Promise<Flipped> {
  const reason = whyNotOurs(definition);
  if (reason !== undefined) return { obstacle: reason };
  try {
    const existing = await findExisting(definition, parts);
    const obstacle = whyNoSwitch(definition, existing, parts);
    if (existing === undefined || obstacle !== undefined) return { obstacle };
    const edited = await editExisting(existing, (text) => flip(text, existing, wanted), operation, parts);
    return { existing, edited };
  } catch (error) {
    const obstacle = whyUneditable(error);
    if (obstacle === undefined) throw error;
    return { obstacle };
  }
}

/** Reasons that will not go away by trying again: then the file is not ours to edit. */
const lasting: ReadonlySet<string> = new Set([
  'link-outside-folder',
  'link-broken',
  'EACCES',
  'EPERM',
  'EROFS',
]);

function whyUneditable(error: unknown): string | undefined {
  if (HoltError.is(error, 'config-unwritable') && lasting.has(error.details.reason)) return error.message;
  return HoltError.is(error, 'config-invalid') ? error.message : undefined;
}

/** Why the entry's own switch would not do. */
function whyNoSwitch(
  definition: ServerDefinition,
  existing: ExistingEntry | undefined,
  parts: EditParts,
): string | undefined {
  const { origin, parts: files } = definition;
  if (existing === undefined)
    return `its entry in ${origin.file} cannot be taken apart from the rest of the file`;
  const switches = existing.spelling.off ?? [];
  if (switches.length === 0) return `the files of ${origin.agent} have no switch for it`;
  if (files.length > 1) return 'several files have a part in it';
  const { enabled } = overrideOf(definition, parts);
  const isSwitchedElsewhere = enabled === undefined && definition.enabled !== isOn(existing.value, switches);
  return isSwitchedElsewhere ? `something else than its entry in ${origin.file} switches it` : undefined;
}

function isOn(entry: JsonValue, switches: readonly Switch[]): boolean {
  return !switches.some(({ key, value }) => fieldOf(entry, key) === value);
}

function fieldOf(entry: JsonValue, key: string): JsonValue | undefined {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return undefined;
  return Object.hasOwn(entry, key) ? entry[key] : undefined;
}

/** Fields to set. Only what says otherwise: an entry that is on already stays as it is, word for word. */
function flips(
  { value: entry, spelling }: ExistingEntry,
  wanted: SwitchState,
): Readonly<Record<string, boolean>> {
  const switches = spelling.off ?? [];
  if (wanted === 'on') {
    const off = switches.filter(({ key, value }) => fieldOf(entry, key) === value);
    return Object.fromEntries(off.map(({ key, value }) => [key, !value]));
  }
  const [first] = switches;
  return first === undefined || !isOn(entry, switches) ? {} : { [first.key]: first.value };
}

async function flip(text: string, existing: ExistingEntry, wanted: SwitchState): Promise<EditResult> {
  const { format, value: entry } = existing;
  const path = [...existing.path, existing.key];
  let result: EditResult = { ok: true, text };
  for (const [key, value] of Object.entries(flips(existing, wanted))) {
    if (!result.ok) return result;
    const edit = fieldOf(entry, key) === undefined ? insertEntry : replaceValue;
    result = await edit(result.text, format, { path, key, value });
  }
  return result;
}

function shownAfter(existing: ExistingEntry, wanted: SwitchState): string {
  const { value: entry, spelling } = existing;
  const isMap = typeof entry === 'object' && entry !== null && !Array.isArray(entry);
  const after = isMap ? { ...entry, ...flips(existing, wanted) } : entry;
  return JSON.stringify(maskEntry(after, spelling.dialect));
}

/** What the file says now must not be said otherwise elsewhere. */
async function clearOverride(
  definition: ServerDefinition,
  operation: Operation,
  parts: EditParts,
): Promise<void> {
  if (overrideOf(definition, parts).enabled === undefined) return;
  await setOverride(definition, { enabled: null }, operation, parts);
}
