/** Applies the changes that hooks made to a result to the server's own answer. Pure. */

import { isDeepStrictEqual } from 'node:util';

import type { JsonObject } from '../kernel/json.ts';
import type { CallResponse } from '../results/make-result.ts';
import type { ToolResult } from '../results/tool-result.ts';

/**
 * Returns the answer unchanged if no hook changed the result. `made` is the result before the hooks, `result`
 * the one after them.
 */
export function changedAnswer(answer: CallResponse, made: ToolResult, result: ToolResult): JsonObject {
  if (isSame(made, result)) return { ...answer };
  const { content: _, structuredContent: __, isError: ___, _meta: ____, ...rest } = answer;
  return {
    ...rest,
    content: contentOf(made, result),
    ...(result.structured === undefined ? {} : { structuredContent: result.structured }),
    ...(result.ok ? {} : { isError: true }),
    ...(result.meta === undefined ? {} : { _meta: result.meta }),
  };
}

/** If a hook changed only the text, for example to remove a secret, the blocks must not contain it either. */
function contentOf(made: ToolResult, { text, content }: ToolResult): ToolResult['content'] {
  if (text === made.text || !isSame(content, made.content)) return content;
  return [{ type: 'text', text }, ...content.filter(({ type }) => type === 'image' || type === 'audio')];
}

/** Like `isDeepStrictEqual`, but much faster for JSON: an answer may contain a hundred thousand values. */
function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object') return Object.is(left, right);
  if (Array.isArray(left) && Array.isArray(right)) return isSameList(left, right);
  return isPlain(left) && isPlain(right) ? isSameObject(left, right) : isDeepStrictEqual(left, right);
}

function isSameList(left: readonly unknown[], right: readonly unknown[]): boolean {
  if (left.length !== right.length) return false;
  for (let at = 0; at < left.length; at += 1) if (!isSame(left[at], right[at])) return false;
  return true;
}

function isSameObject(left: JsonObject, right: JsonObject): boolean {
  let rest = 0;
  for (const _ in right) rest += 1;
  for (const name in left) {
    if (!Object.hasOwn(right, name) || !isSame(left[name], right[name])) return false;
    rest -= 1;
  }
  return rest === 0;
}

function isPlain(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
