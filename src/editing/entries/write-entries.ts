/** Writes planned entries to their file, all or none of them, if the file still matches the plans. */

import {
  appendItem,
  insertEntry,
  replaceItem,
  replaceValue,
  type EditResult,
} from '../../documents/edit-document.ts';
import { sameValue } from '../../documents/edit.ts';
import { parseDocument } from '../../documents/parse-document.ts';
import type { DocNode } from '../../documents/tree.ts';
import { changedMeanwhile } from '../read-settled.ts';
import { editFile, type FileEdited } from '../edit-file.ts';
import type { EditParts } from '../edit-parts.ts';
import type { Operation } from '../previous-content.ts';
import { findNamed, type FoundEntry } from './find-entry.ts';
import { alreadyExists, type EntryPlan } from './plan-entry.ts';
import type { Machine } from '../../kernel/machine.ts';
import { writeFileAtomically } from '../../platform/files/atomic-write.ts';
import { makeHoltFolder } from '../../platform/files/private-folder.ts';
import { schemaDocuments, schemaFolder, type SchemaKind } from '../../settings/json-schema.ts';

/** All plans must be for the same file. */
export function writeEntries(
  [first, ...others]: readonly [EntryPlan, ...EntryPlan[]],
  operation: Operation,
  parts: EditParts,
): Promise<FileEdited> {
  const { target, memory } = first;
  const { file, format, start, scope } = target;
  const plans = [first, ...others];
  return editFile(
    {
      file,
      format,
      operation,
      dialect: target.shapeAt(first.path).dialect,
      ...(start === undefined ? {} : { start }),
      private: scope !== 'project' && plans.some(({ holdsSecret }) => holdsSecret),
      change: async (text, { root }) => {
        let result: EditResult = { ok: true, text };
        let now = root;
        for (const plan of plans) {
          if (!result.ok) return result;
          result = await writeOne(result.text, now, plan);
          now = result.ok ? await reparse(result.text, plan) : now;
        }
        return result;
      },
    },
    { ...parts, memory },
  );
}

function writeOne(text: string, root: DocNode | undefined, plan: EntryPlan): Promise<EditResult> {
  const { name, target, path, kind, entry } = plan;
  const container = target.container(root);
  const found = findNamed(root, container, name);
  checkUnchanged(plan, found);
  if (found === undefined) {
    // The place for new entries has moved, and its format may be a different one.
    if (!sameValue([...(container.paths[0] ?? [])], [...path])) throw changedMeanwhile(target.file);
    if (kind === 'list') return appendItem(text, target.format, { path, value: entry });
    return insertEntry(text, target.format, { path, key: name, value: entry });
  }
  const { key } = found;
  if (typeof key === 'number') return replaceItem(text, target.format, { path, index: key, value: entry });
  return replaceValue(text, target.format, { path, key, value: entry });
}

function checkUnchanged({ name, target, path, previous }: EntryPlan, found: FoundEntry | undefined): void {
  if (previous === undefined && found !== undefined) throw alreadyExists(name, target.file);
  if (previous === undefined) return;
  if (found === undefined || !sameValue(found.value, previous) || !sameValue([...found.path], [...path])) {
    throw changedMeanwhile(target.file);
  }
}

async function reparse(text: string, { target }: EntryPlan): Promise<DocNode | undefined> {
  const document = await parseDocument(Buffer.from(text), target.format);
  return document.ok ? document.root : undefined;
}

/** Only editors need the schema, so a failure must not make the write of the file fail. */
export async function copySchema(kind: SchemaKind, { path, holtHome, os }: Machine): Promise<void> {
  try {
    await makeHoltFolder(holtHome, schemaFolder, { os });
    const text = `${JSON.stringify(schemaDocuments()[kind], undefined, 2)}\n`;
    await writeFileAtomically(path.join(holtHome, ...schemaFolder, `${kind}.json`), Buffer.from(text), {
      os,
      folders: 'private',
    });
  } catch {
    return;
  }
}
