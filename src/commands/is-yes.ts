/** What counts as a yes where Enter alone means no. */

export function isYes(answer: string | undefined): boolean {
  return ['y', 'yes'].includes(answer?.trim().toLowerCase() ?? '');
}
