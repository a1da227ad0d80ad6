/** Writes one message of so many bytes in one line, and ends. */

const text = 'x'.repeat(Number(process.argv[2]));
process.stdout.write(
  `${JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text }] } })}\n`,
);
