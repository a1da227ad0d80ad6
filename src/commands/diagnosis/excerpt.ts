/** The part of a line that a problem is about, shortened and with possible secrets masked. */

import { maskArgs } from '../../masking/mask-secrets.ts';

const secretPair =
  /((?:"|')?[\w.-]*(?:key|token|secret|passw|auth|credential|cookie)[\w.-]*(?:"|')?\s*[:=]\s*)("(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s,}\]]+)/gi;
const around = 50;

export function excerptOf(text: string, line: number, column: number): string {
  const whole = text.split(/\r?\n/, line)[line - 1] ?? '';
  const masked = whole.length > 4096 ? '' : whole.replaceAll(secretPair, '$1"***"');
  const from = Math.max(0, Math.min(column - 1, masked.length) - around);
  const piece = masked.slice(from, from + 2 * around);
  return `${from > 0 ? '… ' : ''}${maskArgs([piece])[0] ?? ''}${from + 2 * around < masked.length ? ' …' : ''}`.trim();
}
