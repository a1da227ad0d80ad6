/** Whether an answer means yes, for questions where Enter means no. */

export function isYes(answer: string | undefined): boolean {
  return ['y', 'yes'].includes(answer?.trim().toLowerCase() ?? '');
}
