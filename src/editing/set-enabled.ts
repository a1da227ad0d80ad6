/** `holt enable` and `holt disable`: the agent's own switch where its file has one, else an override of holt's own. */

import { insertEntry, replaceValue, type EditResult } from '../documents/edit-document.ts';
import type { JsonValue } from '../documents/tree.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { EditParts } from './edit-parts.ts';
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
  parts: EditParts,
): Promise<EditReport> {
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
  const reason = whyNotOurs(definition);
  const existing = reason === undefined ? await findExisting(definition, parts) : undefined;
  const obstacle = reason ?? whyNoSwitch(definition, existing, parts);
  const report = { server: name, agent: origin.agent, scope: origin.scope, warnings: [] } as const;
  if (existing === undefined || obstacle !== undefined) {
    const edited = await setOverride(definition, { enabled: wanted === 'on' }, operation, parts);
    const notes = [`${obstacle ?? 'its entry cannot be found'}: only holt is told that it is ${wanted}`];
    return reportOf(
      { ...report, how: 'override', shown: JSON.stringify({ enabled: wanted === 'on' }), notes },
      edited,
    );
  }
  const edited = await editExisting(existing, (text) => flip(text, existing, wanted), operation, parts);
  await clearOverride(definition, operation, parts);
  return reportOf({ ...report, how: 'file', shown: shownAfter(existing, wanted), notes: [] }, edited);
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
