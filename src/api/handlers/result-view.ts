/**
 * The result of a call as the API sends it. The bytes of an image or a file appear only once, in its
 * attachments.
 */

import type { Attachment, ToolResult } from '../../results/tool-result.ts';

type Block = ToolResult['content'][number];

export function resultView(
  result: ToolResult,
): Omit<ToolResult, 'content'> & { readonly content: unknown[] } {
  const { attachments } = result;
  return { ...result, content: result.content.map((block) => blockView(block, attachments)) };
}

/** `attachment` is the index of the bytes in `attachments`. */
function blockView(block: Block, attachments: readonly Attachment[]): unknown {
  if (block.type === 'image' || block.type === 'audio') {
    const { data, ...others } = block;
    return referTo(data, others, attachments) ?? block;
  }
  if (block.type !== 'resource' || !('blob' in block.resource)) return block;
  const { blob, ...others } = block.resource;
  const resource = referTo(blob, others, attachments);
  return resource === undefined ? block : { ...block, resource };
}

function referTo(data: string, others: object, attachments: readonly Attachment[]): object | undefined {
  const attachment = attachments.findIndex((each) => each.data === data);
  return attachment === -1 ? undefined : { ...others, attachment };
}
