/** Which state of a file this is: as long as its stamp stays the same, nobody has written to it or replaced it. */

export interface FileStamp {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  /** With fractions of a millisecond. */
  readonly mtimeMs: number;
}

/** Takes the fields of a stamp out of what `stat` returned. */
export function stampOf({ dev, ino, size, mtimeMs }: FileStamp): FileStamp {
  return { dev, ino, size, mtimeMs };
}

export function isSameStamp(left: FileStamp, right: FileStamp): boolean {
  return (
    left.dev === right.dev &&
    left.ino === right.ino &&
    left.size === right.size &&
    left.mtimeMs === right.mtimeMs
  );
}
