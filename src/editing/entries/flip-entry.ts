/** Turns the switch in a server's own entry, if its agent has one there. */

import { isObject, type JsonValue } from '../../kernel/json.ts';
import { insertEntry, replaceValue, type EditResult } from '../../documents/edit-document.ts';
import type { ServerDefinition } from '../../kernel/servers.ts';
import type { FileEdited } from '../edit-file.ts';
import type { EditParts } from '../edit-parts.ts';
import { overrideOf } from '../overrides.ts';
import type { Operation } from '../previous-content.ts';
import { switchesOf, type OffSwitch } from '../../agents/server-shape.ts';
import { editExisting, findExisting, type ExistingEntry } from './existing-entry.ts';
import { maskEntry } from './mask-entry.ts';

type SwitchState = 'on' | 'off';

interface FlippedEntry {
  readonly edited: FileEdited;
  /** The entry after the edit, on one line, with secrets masked. */
  readonly shown: string;
}

/** Switches a server on or off in its entry. `obstacle` explains why the entry's own switch does not work. */
export async function flipEntry(
  definition: ServerDefinition,
  { wanted, operation }: { readonly wanted: SwitchState; readonly operation: Operation },
  parts: EditParts,
): Promise<FlippedEntry | { readonly obstacle: string }> {
  const existing = await findExisting(definition, parts);
  if (existing === undefined)
    return {
      obstacle: `its entry in ${definition.origin.file} cannot be taken apart from the rest of the file`,
    };
  const obstacle = whyNoSwitch(definition, existing, parts);
  if (obstacle !== undefined) return { obstacle };
  const edited = await editExisting(existing, (text) => flip(text, existing, wanted), operation, parts);
  return { edited, shown: shownAfter(existing, wanted) };
}

function whyNoSwitch(
  definition: ServerDefinition,
  existing: ExistingEntry,
  parts: EditParts,
): string | undefined {
  const { origin, parts: files, offBy = [] } = definition;
  const switches = switchesOf(existing.shape);
  if (switches.length === 0) return `the files of ${origin.agent} have no switch for it`;
  if (files.length > 1) return 'several files have a part in it';
  const { enabled } = overrideOf(definition, parts);
  const saysOn = isOn(existing.value, switches);
  // A list that switches the server off is edited separately; one that switches it on overrides the entry.
  const isSwitchedElsewhere =
    enabled === undefined &&
    definition.enabled !== saysOn &&
    (definition.enabled || !offBy.some(({ kind }) => kind === 'entry'));
  return isSwitchedElsewhere ? `something else than its entry in ${origin.file} switches it` : undefined;
}
function isOn(entry: JsonValue, switches: readonly OffSwitch[]): boolean {
  return !switches.some(({ key, value }) => fieldOf(entry, key) === value);
}

function fieldOf(entry: JsonValue, key: string): JsonValue | undefined {
  if (!isObject(entry)) return undefined;
  return Object.hasOwn(entry, key) ? entry[key] : undefined;
}

/** Returns the fields to set. An entry that already has the requested state stays exactly as it is. */
function flips(
  { value: entry, shape }: ExistingEntry,
  wanted: SwitchState,
): Readonly<Record<string, boolean>> {
  const switches = switchesOf(shape);
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
  const { value: entry, shape } = existing;
  const after = isObject(entry) ? { ...entry, ...flips(existing, wanted) } : entry;
  return JSON.stringify(maskEntry(after, shape.dialect));
}
