/** Prints a URL as a QR code of half blocks, so that a phone can read it from a terminal. */

/** Undefined if the code does not fit, because a wrapped code cannot be read. */
export async function qrLines(
  text: string,
  { columns }: { readonly columns: number },
): Promise<readonly string[] | undefined> {
  const { encode } = await import('uqr');
  const dark = encode(text, { border: 2 }).data;
  if (dark.length === 0 || dark.length > columns) return undefined;
  return Array.from({ length: Math.ceil(dark.length / 2) }, (_, pair) =>
    joinRows(dark[pair * 2] ?? [], dark[pair * 2 + 1] ?? []),
  );
}

/** Draws the light modules and leaves the dark ones blank, which is right on the usual dark terminal. */
function joinRows(upper: readonly boolean[], lower: readonly boolean[]): string {
  return upper
    .map((isDark, column) => {
      const isLowerDark = lower[column] ?? true;
      if (isDark) return isLowerDark ? ' ' : '▄';
      return isLowerDark ? '▀' : '█';
    })
    .join('');
}
