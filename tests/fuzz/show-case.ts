/** A case as a report prints it: on few lines, in ASCII, and never long. */

const mostCharacters = 1200;

export function showCase(value: unknown, text: string): string {
  return [`choices: ${bounded(plain(value))}`, `input:   ${bounded(text)}`].join('\n');
}

function plain(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner)) ?? ''
  );
}

/** The start and the end of a long text, with everything escaped that a terminal could take for more than text. */
function bounded(text: string): string {
  const half = mostCharacters / 2;
  if (text.length <= mostCharacters) return escaped(text);
  return `${escaped(text.slice(0, half))} … ${text.length - mostCharacters} more … ${escaped(text.slice(-half))}`;
}

function escaped(text: string): string {
  return text.replaceAll(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
