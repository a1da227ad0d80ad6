/** A server's own answer, with what hooks made of the result that was read from it. Pure. */

import { isDeepStrictEqual } from 'node:util';

import type { JsonObject } from '../catalog/tool-info.ts';
import type { CallAnswer } from '../results/make-result.ts';
import type { ToolResult } from '../results/tool-result.ts';

/** As it came where no hook changed anything. `made` is the result before the hooks, `result` the one after them. */
export function changedAnswer(answer: CallAnswer, made: ToolResult, result: ToolResult): JsonObject {
  if (isDeepStrictEqual(made, result)) return { ...answer };
  const { content: _, structuredContent: __, isError: ___, _meta: ____, ...rest } = answer;
  return {
    ...rest,
    content: contentOf(made, result),
    ...(result.structured === undefined ? {} : { structuredContent: result.structured }),
    ...(result.ok ? {} : { isError: true }),
    ...(result.meta === undefined ? {} : { _meta: result.meta }),
  };
}

/** Whoever changed the text alone, say to take something out, must not find it in the blocks it was read from. */
function contentOf(made: ToolResult, { text, content }: ToolResult): ToolResult['content'] {
  if (text === made.text || !isDeepStrictEqual(content, made.content)) return content;
  return [{ type: 'text', text }, ...content.filter(({ type }) => type === 'image' || type === 'audio')];
}
