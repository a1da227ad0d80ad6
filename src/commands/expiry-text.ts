/** When a login ends, for people. A provider may have said any number. */

export function expiryText(seconds: number | undefined): string {
  const date = new Date((seconds ?? Number.NaN) * 1000);
  return Number.isNaN(date.getTime()) ? '–' : date.toISOString().replace(/\.\d+Z$/, 'Z');
}
