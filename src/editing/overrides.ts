/** Writes `~/.holt/overrides.json`, one override at a time. Preserves every other byte of the file. */

import { isObject, type JsonMap, type JsonValue } from '../kernel/json.ts';
import { appendItem, removeItem, replaceItem, type EditResult } from '../documents/edit-document.ts';
import { get, type ParsedDocument } from '../documents/tree.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import {
  isSameKey,
  loadOverrides,
  overrideKey,
  overridesFile,
  readOverride,
  type Override,
} from '../roster/overrides.ts';
import { editFile, type FileEdited } from './edit-file.ts';
import type { EditParts } from './edit-parts.ts';
import type { Operation } from './previous-content.ts';

type OverrideFields = Pick<Override, 'enabled' | 'inheritEnv'>;

/** Returns the override of this definition; empty when there is none or the file cannot be read. */
export function overrideOf(definition: ServerDefinition, { machine, files }: EditParts): OverrideFields {
  const key = overrideKey(definition, machine);
  const found = loadOverrides(machine, files).overrides.findLast((override) => isSameKey(override, key));
  return {
    ...(found?.enabled === undefined ? {} : { enabled: found.enabled }),
    ...(found?.inheritEnv === undefined ? {} : { inheritEnv: found.inheritEnv }),
  };
}

/** Sets fields of an override. Null removes a field; an override without fields is removed. */
export function setOverride(
  definition: ServerDefinition,
  fields: { readonly [Field in keyof OverrideFields]: OverrideFields[Field] | null },
  operation: Operation,
  parts: EditParts,
): Promise<FileEdited> {
  const key = overrideKey(definition, parts.machine);
  const merged = (old: JsonValue | undefined): JsonValue | undefined => {
    const before = isObject(old) ? old : {};
    const after: JsonMap = { ...key, ...before };
    for (const [name, value] of Object.entries(fields)) {
      if (value === null) delete after[name];
      else after[name] = typeof value === 'object' ? [...value] : value;
    }
    return 'enabled' in after || 'inheritEnv' in after ? after : undefined;
  };
  return editFile(
    {
      file: overridesFile(parts.machine),
      format: 'json',
      operation,
      start: '{\n  "version": 1\n}\n',
      private: true,
      change: (text, document) => changeItem(text, document, { key, merged }),
    },
    parts,
  );
}

interface ItemChange {
  readonly key: ReturnType<typeof overrideKey>;
  readonly merged: (old: JsonValue | undefined) => JsonValue | undefined;
}

async function changeItem(
  text: string,
  { root }: ParsedDocument,
  { key, merged }: ItemChange,
): Promise<EditResult> {
  const list = get(root, 'overrides');
  const items = list?.kind === 'array' ? list.items : [];
  const found = items.map((item) => (item.kind === 'object' ? readOverride(item) : undefined));
  const index = found.findLastIndex((override) => override !== undefined && isSameKey(override, key));
  const old = found[index];
  const value = merged(old === undefined ? undefined : JSON.parse(JSON.stringify(old)));
  const path = ['overrides'];
  if (index === -1)
    return value === undefined ? { ok: true, text } : appendItem(text, 'json', { path, value });
  return value === undefined
    ? removeItem(text, 'json', { path, index })
    : replaceItem(text, 'json', { path, index, value });
}
