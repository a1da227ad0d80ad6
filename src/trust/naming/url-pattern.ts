/**
 * Matches URLs against a pattern with `*`. A `*` in the host matches only within the host:
 * `https://*.good.test/*` does not match `https://evil.test/a.good.test/`.
 */

/** `broad` also matches the URL as written, for deny rules. */
export function matchesUrl(url: string, pattern: string, how: 'broad' | 'exact'): boolean {
  const spellings = [normal(url), ...(how === 'broad' ? [url] : [])];
  return spellings.some((spelling) => matchesSpelling(spelling, pattern));
}

/** Normalises a URL as the network resolves it: host in lower case, no user info, no tricks with slashes. */
function normal(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  url.username = '';
  url.password = '';
  return url.href;
}

interface Split {
  readonly scheme: string;
  readonly host: string;
  readonly rest: string;
}

function split(text: string): Split | undefined {
  const [, scheme, host, rest] = /^([^:/?#*]+):\/\/([^/?#\\]+)(.*)$/s.exec(text) ?? [];
  if (scheme === undefined || host === undefined || rest === undefined) return undefined;
  return { scheme: scheme.toLowerCase(), host: host.toLowerCase(), rest };
}

function matchesSpelling(text: string, pattern: string): boolean {
  const wanted = split(pattern);
  // Compare a pattern without scheme and host, such as `*`, with the whole URL.
  if (wanted === undefined) return matchesStars(text, pattern);
  const url = split(text);
  if (url === undefined || url.scheme !== wanted.scheme || !matchesStars(url.host, wanted.host)) return false;
  const rest = url.rest === '' ? '/' : url.rest;
  if (wanted.rest !== '') return matchesStars(rest, wanted.rest);
  return wanted.host.endsWith('*') || rest === '/';
}

/** `*` matches any run of characters; everything else is literal. Linear: searches for each piece once. */
function matchesStars(text: string, pattern: string): boolean {
  const [first = '', ...pieces] = pattern.split('*');
  if (!text.startsWith(first)) return false;
  if (pieces.length === 0) return text === first;
  let at = first.length;
  const last = pieces.pop() ?? '';
  for (const piece of pieces) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
