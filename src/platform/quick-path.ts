/**
 * Node's paths, with a quick way to join what needs nothing but a slash between. Node takes every path apart letter by
 * letter, and each start of holt joins hundreds.
 */

import nodePath from 'node:path';

export const quickPath: typeof nodePath =
  nodePath.sep === '/' ? { ...nodePath, join: joinQuickly } : nodePath;

export function joinQuickly(...parts: string[]): string {
  const [first = ''] = parts;
  if (!first.startsWith('/') || !isPlain(first)) return nodePath.posix.join(...parts);
  let joined = first;
  for (let at = 1; at < parts.length; at += 1) {
    const part = parts[at] ?? '';
    if (part.startsWith('/') || !isPlain(part)) return nodePath.posix.join(...parts);
    joined += `/${part}`;
  }
  return joined;
}

/** There is nothing in it that joining would take out. */
function isPlain(part: string): boolean {
  return (
    part !== '' && !part.endsWith('/') && !part.endsWith('.') && !part.includes('//') && !part.includes('./')
  );
}
