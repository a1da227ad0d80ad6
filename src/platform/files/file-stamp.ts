/**
 * Identifies one state of a file: while the stamp is the same, the file was neither modified nor replaced.
 */

export interface FileStamp {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  /** In milliseconds, with fractions. */
  readonly mtimeMs: number;
}

/** Picks the fields of a stamp from the result of `stat`. */
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
