/** An address as a QR code made of half blocks, so that a phone can read it from a terminal. */

/** Undefined where it would not fit: a code that wraps cannot be read. */
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

/** Light parts are drawn and dark ones left out: that is right side round on the usual dark terminal. */
function joinRows(upper: readonly boolean[], lower: readonly boolean[]): string {
  return upper
    .map((isDark, column) => {
      const isLowerDark = lower[column] ?? true;
      if (isDark) return isLowerDark ? ' ' : '▄';
      return isLowerDark ? '▀' : '█';
    })
    .join('');
}
