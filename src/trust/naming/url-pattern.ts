/** URLs against a pattern with `*`. A star in the host stays in the host: `https://*.good.test/*` is never another's path. */

/** `broad` also looks at the URL as it is written, for lists that forbid. */
export function matchesUrl(url: string, pattern: string, how: 'broad' | 'exact'): boolean {
  const spellings = [normal(url), ...(how === 'broad' ? [url] : [])];
  return spellings.some((spelling) => matchesSpelling(spelling, pattern));
}

/** As the network will understand it: host in small letters, no user-info, no tricks with slashes. */
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
  // A pattern without scheme and host, such as `*`, is held against the whole.
  if (wanted === undefined) return matchesStars(text, pattern);
  const url = split(text);
  if (url === undefined || url.scheme !== wanted.scheme || !matchesStars(url.host, wanted.host)) return false;
  const rest = url.rest === '' ? '/' : url.rest;
  if (wanted.rest !== '') return matchesStars(rest, wanted.rest);
  return wanted.host.endsWith('*') || rest === '/';
}

/** `*` matches any run of characters; everything else is literal. Linear: each piece is looked for once. */
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
