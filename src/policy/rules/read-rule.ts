/**
 * Parses a rule's text: a pattern over `mcp__<server>__<tool>` or `holt__<tool>`, or the reason why it is
 * unreadable.
 */

import { foldName } from '../../masking/fold-name.ts';

export type RuleReading =
  | { readonly kind: 'pattern'; readonly pattern: string }
  | { readonly kind: 'unreadable'; readonly reason: string };

export const serverPrefix = 'mcp__';
export const builtInPrefix = 'holt__';

const wrapped = /^Tool\((.*)\)$/su;
const unusual = /[()\p{Cc}]/u;

/** Parses a rule. `Tool(X)` is read as `X`. */
export function readRule(text: string): RuleReading {
  const trimmed = text.trim();
  const pattern = (wrapped.exec(trimmed)?.[1] ?? trimmed).trim();
  if (pattern === '') return unreadable('it is empty');
  if (unusual.test(pattern)) return unreadable('parentheses belong to Tool(…) alone');
  if (canName(pattern, serverPrefix) || canName(pattern, builtInPrefix)) return { kind: 'pattern', pattern };
  return unreadable(`rules name tools as ${serverPrefix}<server>__<tool> or ${builtInPrefix}<tool>`);
}

function unreadable(reason: string): RuleReading {
  return { kind: 'unreadable', reason };
}

/** Whether the pattern can match a name with this prefix. A `*` may match part of the prefix. */
function canName(pattern: string, prefix: string): boolean {
  const folded = foldName(pattern);
  const star = folded.indexOf('*');
  if (star === -1) return folded.startsWith(prefix) && folded.length > prefix.length;
  const head = folded.slice(0, star);
  return head.startsWith(prefix) || prefix.startsWith(head);
}
