import { encode } from 'uqr';
import { describe, expect, test } from 'vitest';

import { qrLines } from './login-interaction.ts';

const url = 'https://issuer.example/device?user_code=ABCD-1234';
const shapes: Readonly<Record<string, readonly [boolean, boolean]>> = {
  '█': [false, false],
  '▀': [false, true],
  '▄': [true, false],
  ' ': [true, true],
};

/** What a camera sees: dark where nothing is drawn, two rows a line. */
function seen(lines: readonly string[]): readonly (readonly boolean[])[] {
  return lines.flatMap((line) =>
    [0, 1].map((half) => Array.from(line, (character) => shapes[character]?.[half] ?? true)),
  );
}

describe('a QR code', () => {
  test('shows every module of the code, two rows a line', async () => {
    const lines = (await qrLines(url, { columns: 80 })) ?? [];
    const { data } = encode(url, { border: 2 });
    expect(seen(lines).slice(0, data.length)).toEqual(data);
    expect(new Set(lines.map((line) => line.length))).toEqual(new Set([data.length]));
  });

  test('has light around it and the marks of a QR code in three corners', async () => {
    const rows = seen((await qrLines(url, { columns: 80 })) ?? []);
    const mark = ['#######', '#.....#', '#.###.#', '#.###.#', '#.###.#', '#.....#', '#######'];
    const size = rows[0]?.length ?? 0;
    const at = (top: number, left: number): readonly string[] =>
      rows.slice(top, top + 7).map((row) =>
        row
          .slice(left, left + 7)
          .map((dark) => (dark ? '#' : '.'))
          .join(''),
      );
    expect([at(2, 2), at(2, size - 9), at(size - 9, 2)]).toEqual([mark, mark, mark]);
    expect([
      ...(rows[0] ?? []),
      ...(rows[1] ?? []),
      ...rows.slice(0, size).map((row) => row[0]),
    ]).not.toContain(true);
  });

  test('is left out where it would not fit', async () => {
    const width = (await qrLines(url, { columns: 80 }))?.[0]?.length ?? 0;
    expect([
      await qrLines(url, { columns: width - 1 }),
      (await qrLines(url, { columns: width }))?.length,
    ]).toEqual([undefined, Math.ceil(width / 2)]);
  });
});
