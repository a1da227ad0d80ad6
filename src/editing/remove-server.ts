/**
 * `holt remove`: removes an entry, with its comments, from the file it came from. Nothing else in the file
 * changes.
 */

import { removeEntry, removeItem, type EditResult } from '../documents/edit-document.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { nameWord } from '../kernel/shell-words.ts';
import { withMemory, type EditParts } from './edit-parts.ts';
import { reportOf, type EditReport } from './edit-report.ts';
import {
  editExisting,
  findExisting,
  notOurs,
  whyNotOurs,
  type ExistingEntry,
} from './entries/existing-entry.ts';
import { overrideOf, setOverride } from './overrides.ts';
import { newOperation, type Operation } from './previous-content.ts';

export interface RemoveOptions {
  /** Set when this is one of several edits that are undone together. */
  readonly operation?: Operation | undefined;
  /** Only reports what would be removed. */
  readonly dryRun?: boolean;
}

/** Rejects with `config-not-ours` when the file is not holt's to edit. */
export async function removeServer(
  definition: ServerDefinition,
  given: EditParts,
  { operation = newOperation(`remove ${definition.name}`), dryRun = false }: RemoveOptions = {},
): Promise<EditReport> {
  const parts = withMemory(given);
  const { name, origin } = definition;
  const reason = whyNotOurs(definition);
  if (reason !== undefined)
    throw notOurs(definition, reason, `Switch it off for holt: holt disable ${nameWord(name)}`);
  const existing = await findExisting(definition, parts);
  if (existing === undefined) throw notFoundThere(definition);

  const edited = dryRun
    ? ({ file: origin.file, outcome: 'unchanged', tightened: false, warnings: [] } as const)
    : await editExisting(existing, (text) => takeOut(text, existing), operation, parts);
  // An override that outlives its server would surprise a user who adds that name again.
  if (!dryRun && Object.keys(overrideOf(definition, parts)).length > 0) {
    await setOverride(definition, { enabled: null, inheritEnv: null }, operation, parts);
  }
  const left = definition.parts.map(({ file }) => file);
  const files = [...new Set(left)].filter((file) => file !== origin.file);
  const notes = files.map((file) => `"${name}" is still defined in ${file}`);
  const { shown } = existing;
  return reportOf(
    { server: name, agent: origin.agent, scope: origin.scope, how: 'file', shown, warnings: [], notes },
    edited,
  );
}

function takeOut(text: string, { format, path, key }: ExistingEntry): Promise<EditResult> {
  if (typeof key === 'number') return removeItem(text, format, { path, index: key });
  return removeEntry(text, format, { path, key });
}

/** The error for a file that is itself the server. */
function notFoundThere(definition: ServerDefinition): Error {
  const { file, line } = definition.origin;
  const remedy = `Edit it by hand: ${file}:${line}`;
  return notOurs(definition, `its entry in ${file} cannot be taken apart from the rest of the file`, remedy);
}
