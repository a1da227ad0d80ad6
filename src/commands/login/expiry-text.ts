/** Formats the expiry of a login. The number comes from the provider and may be invalid. */

export function expiryText(seconds: number | undefined): string {
  const date = new Date((seconds ?? Number.NaN) * 1000);
  return Number.isNaN(date.getTime()) ? '–' : date.toISOString().replace(/\.\d+Z$/, 'Z');
}
