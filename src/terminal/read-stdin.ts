/** Reads all of standard input as text, up to a limit. */

/** Throws when there are more than `maxBytes` bytes. */
export async function readStdin(maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    const piece = Buffer.from(chunk as Uint8Array); // stdin emits buffers when no encoding is set
    bytes += piece.length;
    if (bytes > maxBytes) throw new Error(`standard input has more than ${maxBytes} bytes`);
    chunks.push(piece);
  }
  return Buffer.concat(chunks).toString('utf8');
}
