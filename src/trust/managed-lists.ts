/**
 * An administrator's allow-list and deny-list, by name, command or URL. Deny rules match broadly and allow
 * rules match exactly. A rule or file that cannot be understood forbids: a mistake in it must not allow
 * anything.
 */

import { decodeText } from '../documents/decode.ts';
import { parseJson } from '../documents/json.ts';
import { get, type DocNode } from '../documents/tree.ts';
import type { Machine } from '../kernel/machine.ts';
import type { ServerDefinition, StdioLaunch } from '../kernel/servers.ts';
import type { Files } from '../platform/files/files.ts';

type Matcher =
  | { readonly by: 'name'; readonly name: string }
  | { readonly by: 'command'; readonly words: readonly string[] }
  | { readonly by: 'url'; readonly pattern: string };

export interface ManagedLists {
  /** Undefined when there is no allow-list: everything that is not denied is allowed. */
  readonly allowed: readonly Matcher[] | undefined;
  readonly denied: readonly Matcher[] | 'everything';
}

const none: ManagedLists = { allowed: undefined, denied: [] };
const unclear: ManagedLists = { allowed: [], denied: 'everything' };

const places = {
  linux: '/etc/holt/managed.json',
  macos: '/Library/Application Support/holt/managed.json',
  windows: 'C:\\ProgramData\\holt\\managed.json',
} as const;

export function loadManagedLists(machine: Machine, files: Files): ManagedLists {
  const outcome = files.load(places[machine.os], 64 << 20);
  if (outcome.kind === 'missing') return none;
  if (outcome.kind !== 'file') return unclear;
  const document = parseJson(decodeText(outcome.bytes).text, { bom: false, utf16: false });
  return document.ok && document.root?.kind === 'object' ? readManagedLists(document.root) : unclear;
}

/**
 * Reads `allowedServers` and `deniedServers`: arrays of `{name}`, `{command: […]}` or `{url}`, where `*` in a
 * URL matches any run of characters.
 */
function readManagedLists(root: DocNode | undefined): ManagedLists {
  const allowed = readList(get(root, 'allowedServers'));
  const denied = readList(get(root, 'deniedServers'));
  return {
    allowed: allowed?.flatMap((matcher) => matcher ?? []),
    denied:
      denied?.every((matcher) => matcher !== undefined) === false
        ? 'everything'
        : (denied ?? []).flatMap((matcher) => matcher ?? []),
  };
}

/** Undefined when the list is missing. An undefined item is an invalid rule. */
function readList(node: DocNode | undefined): readonly (Matcher | undefined)[] | undefined {
  if (node === undefined || node.kind === 'null') return undefined;
  return node.kind === 'array' ? node.items.map(readMatcher) : [undefined];
}

/** A rule has exactly one of the keys: with two, it would not be clear which one applies. */
function readMatcher(node: DocNode): Matcher | undefined {
  const named = (['name', 'url', 'command'] as const).filter((key) => get(node, key) !== undefined);
  const [by] = named;
  if (by === undefined || named.length > 1) return undefined;
  const words = readWords(get(node, by));
  const [first, ...rest] = words ?? [];
  if (first === undefined) return undefined;
  if (by === 'command') return { by, words: [first, ...rest] };
  if (rest.length > 0) return undefined;
  return by === 'name' ? { by, name: first } : { by, pattern: first };
}

/** Reads a string or an array of strings. Undefined when any item is empty or not a string. */
function readWords(node: DocNode | undefined): readonly string[] | undefined {
  const items = node?.kind === 'array' ? node.items : node === undefined ? [] : [node];
  const texts = items.flatMap((item) => (item.kind === 'string' && item.value !== '' ? [item.value] : []));
  return texts.length === items.length ? texts : undefined;
}

/** Servers that the administrator's own file defines are never blocked. */
export function verdictOfLists(
  definition: ServerDefinition,
  { allowed, denied }: ManagedLists,
): 'allowed' | 'blocked' {
  if (definition.origin.scope === 'managed') return 'allowed';
  if (denied === 'everything' || denied.some((matcher) => isMatch(matcher, definition, 'broad')))
    return 'blocked';
  if (allowed !== undefined && !allowed.some((matcher) => isMatch(matcher, definition, 'exact')))
    return 'blocked';
  return 'allowed';
}

function isMatch(matcher: Matcher, { name, launch }: ServerDefinition, how: 'broad' | 'exact'): boolean {
  switch (matcher.by) {
    case 'name':
      return matcher.name === name || (how === 'broad' && matcher.name.toLowerCase() === name.toLowerCase());
    case 'command':
      return launch.kind === 'stdio' && matchesCommand(launch, matcher.words, how);
    case 'url':
      return launch.kind !== 'stdio' && matchesUrl(launch.url, matcher.pattern, how);
  }
}

/** Compares the listed words with the start of the command line. Any arguments may follow. */
function matchesCommand(
  { command, args }: StdioLaunch,
  words: readonly string[],
  how: 'broad' | 'exact',
): boolean {
  const [program = '', ...rest] = words;
  const base = command.split(/[\\/]/).at(-1) ?? '';
  const isProgram = program === command || (how === 'broad' && program.toLowerCase() === base.toLowerCase());
  return isProgram && rest.every((word, index) => args[index] === word);
}

/**
 * Matches a URL against a pattern with `*`. A `*` in the host matches only within the host:
 * `https://*.good.test/*` does not match `https://evil.test/a.good.test/`. `broad` also matches the URL as
 * written, for deny rules.
 */
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
