/**
 * Applies one edit to a text in any format: splices, parses the result and compares it with the expected
 * value. Refuses the edit if the result differs.
 */

import type { JsonValue } from '../../kernel/json.ts';
import {
  EditRefusal,
  applySplices,
  editValue,
  fieldSteps,
  pathText,
  sameValue,
  withoutEmpty,
  type Edit,
  type EditResult,
  type Splice,
} from '../edit.ts';
import { detectStyle, type TextStyle } from '../text-style.ts';
import { dig, get, toValue, type Document, type ParsedDocument } from '../tree.ts';

/** What each format implements. */
export interface EditTools {
  readonly parse: (text: string) => Document;
  /** Throws an `EditRefusal` if the format does not support the edit. */
  readonly splice: (document: ParsedDocument, edit: Edit, style: TextStyle) => Splice[];
  /** True if a map or list disappears with its last entry. */
  readonly losesEmpty: boolean;
}

const byteOrderMark = '\ufeff';

export function editText(
  text: string,
  edit: Edit,
  tools: EditTools,
  style: Partial<TextStyle> = {},
): EditResult {
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : '';
  try {
    const body = text.slice(mark.length);
    return { ok: true, text: mark + editBody(body, edit, tools, { ...detectStyle(body), ...style }) };
  } catch (refusal) {
    if (!(refusal instanceof EditRefusal)) throw refusal;
    return { ok: false, reason: refusal.message };
  }
}

function editBody(text: string, edit: Edit, tools: EditTools, style: TextStyle): string {
  const before = valueOf(parsed(text, tools));
  const wanted = editValue(before, edit);
  let reason = 'the changed text would not read as wanted';
  for (const steps of waysTo(edit, before)) {
    try {
      let result = text;
      for (const step of steps) result = take(result, step, tools, style);
      if (reads(result, wanted, edit, tools)) return result;
    } catch (refusal) {
      if (!(refusal instanceof EditRefusal) || refusal.isFinal) throw refusal;
      reason = refusal.message;
    }
  }
  throw new EditRefusal(reason);
}

function parsed(text: string, tools: EditTools): ParsedDocument {
  const document = tools.parse(text);
  if (!document.ok) throw new EditRefusal(`the text cannot be read: ${document.message}`);
  return document;
}

function valueOf({ root }: ParsedDocument): JsonValue | undefined {
  return root === undefined ? undefined : toValue(root);
}

/** Returns the lists of steps to try in turn, the least invasive first. */
function waysTo(edit: Edit, before: JsonValue | undefined): Edit[][] {
  if (edit.kind !== 'replace') return [[edit]];
  const { path, key, value } = edit;
  const ways = [fieldSteps(valueAt(before, [...path, key]), edit), [edit]];
  if (typeof key === 'string')
    ways.push([
      { kind: 'remove', path, key },
      { kind: 'insert', path, key, value },
    ]);
  return ways;
}

function valueAt(value: JsonValue | undefined, path: Edit['path']): JsonValue | undefined {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined;
    current = Array.isArray(current) ? current[Number(key)] : current[key];
  }
  return current;
}

/** A text with more copies of one key than this is not edited. */
const maxCopies = 100;

function take(text: string, step: Edit, tools: EditTools, style: TextStyle): string {
  const apply = (body: string): string => applySplices(body, tools.splice(parsed(body, tools), step, style));
  if (step.kind !== 'remove' || typeof step.key === 'number') return apply(text);
  // A key may be written more than once. Removing only the effective one would make another one effective.
  let result = text;
  for (let copies = 0; copies < maxCopies; copies += 1) {
    result = apply(result);
    const document = tools.parse(result);
    if (!document.ok || !hasKey(document, step.path, step.key)) return result;
  }
  throw new EditRefusal(`${pathText([...step.path, step.key])} is written too many times`);
}

function hasKey({ root }: ParsedDocument, path: Edit['path'], key: string): boolean {
  const names = path.filter((name) => typeof name === 'string');
  if (names.length === path.length) return get(dig(root, names), key) !== undefined;
  const container = valueAt(root === undefined ? undefined : toValue(root), path);
  return typeof container === 'object' && container !== null && Object.hasOwn(container, key);
}

function reads(text: string, wanted: JsonValue, edit: Edit, tools: EditTools): boolean {
  const document = tools.parse(text);
  if (!document.ok) return false;
  const empty = Array.isArray(wanted) ? [] : {};
  const actual = valueOf(document) ?? empty;
  if (!tools.losesEmpty) return sameValue(actual, wanted);
  return sameValue(withoutEmpty(actual, edit.path), withoutEmpty(wanted, edit.path));
}
