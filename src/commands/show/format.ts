/** Formats counts and times for output. */

/** A count with its noun: `1 file`, `2 files`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The expiry of a login. The number comes from the provider and may be invalid. */
export function expiryText(seconds: number | undefined): string {
  const date = new Date((seconds ?? Number.NaN) * 1000);
  return Number.isNaN(date.getTime()) ? '–' : date.toISOString().replace(/\.\d+Z$/, 'Z');
}
