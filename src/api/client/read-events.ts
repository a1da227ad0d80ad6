/** Parses an event stream into messages, however its bytes are split into chunks. Also runs in browsers. */

export interface StreamedMessage {
  readonly event: string;
  readonly data: unknown;
  readonly id: string | undefined;
}

export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamedMessage> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      yield* blocks.flatMap(readBlock);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Returns nothing for comments, which only keep the connection alive. */
function readBlock(block: string): readonly StreamedMessage[] {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const at = line.indexOf(':');
    if (at > 0) fields.set(line.slice(0, at), line.slice(at + 1).replace(/^ /, ''));
  }
  const data = fields.get('data');
  if (data === undefined) return [];
  return [
    { event: fields.get('event') ?? 'message', data: JSON.parse(data) as unknown, id: fields.get('id') },
  ];
}
