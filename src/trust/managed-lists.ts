/** An administrator's allow-list and deny-list, by name, command or URL. */

import { decodeText } from '../documents/decode.ts';
import { parseJson } from '../documents/json.ts';
import { get, type DocNode } from '../documents/tree.ts';
import type { Machine } from '../kernel/machine.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { Files } from '../platform/files.ts';

type Matcher =
  | { readonly by: 'name'; readonly name: string }
  | { readonly by: 'command'; readonly words: readonly string[] }
  | { readonly by: 'url'; readonly pattern: string };

export interface ManagedLists {
  /** Undefined: everything is allowed that is not denied. */
  readonly allowed: readonly Matcher[] | undefined;
  readonly denied: readonly Matcher[];
}

const places = {
  linux: '/etc/holt/managed.json',
  macos: '/Library/Application Support/holt/managed.json',
  windows: 'C:\\ProgramData\\holt\\managed.json',
} as const;

export function loadManagedLists(machine: Machine, files: Files): ManagedLists {
  const outcome = files.load(places[machine.os], 64 << 20);
  if (outcome.kind !== 'file') return { allowed: undefined, denied: [] };
  const document = parseJson(decodeText(outcome.bytes).text, { bom: false, utf16: false });
  return document.ok ? readManagedLists(document.root) : { allowed: undefined, denied: [] };
}

/** `allowedServers` and `deniedServers`: lists of `{name}`, `{command: […]}` or `{url}` with `*` for any run of characters. */
export function readManagedLists(root: DocNode | undefined): ManagedLists {
  const allowed = get(root, 'allowedServers');
  return {
    allowed: allowed?.kind === 'array' ? allowed.items.flatMap(readMatcher) : undefined,
    denied: readList(get(root, 'deniedServers')),
  };
}

function readList(node: DocNode | undefined): readonly Matcher[] {
  return node?.kind === 'array' ? node.items.flatMap(readMatcher) : [];
}

function readMatcher(node: DocNode): readonly Matcher[] {
  const name = get(node, 'name');
  if (name?.kind === 'string') return [{ by: 'name', name: name.value }];
  const url = get(node, 'url');
  if (url?.kind === 'string') return [{ by: 'url', pattern: url.value }];
  const command = get(node, 'command');
  if (command?.kind === 'string') return [{ by: 'command', words: [command.value] }];
  if (command?.kind !== 'array') return [];
  return [{ by: 'command', words: command.items.flatMap((item) => (item.kind === 'string' ? [item.value] : [])) }];
}

/** What the administrator's own file defines is never blocked by it. */
export function verdictOfLists(definition: ServerDefinition, { allowed, denied }: ManagedLists): 'free' | 'blocked' {
  if (definition.origin.scope === 'managed') return 'free';
  if (denied.some((matcher) => isMatch(matcher, definition))) return 'blocked';
  if (allowed !== undefined && !allowed.some((matcher) => isMatch(matcher, definition))) return 'blocked';
  return 'free';
}

function isMatch(matcher: Matcher, { name, launch }: ServerDefinition): boolean {
  switch (matcher.by) {
    case 'name':
      return matcher.name === name;
    case 'command': {
      if (launch.kind !== 'stdio') return false;
      const words = [launch.command, ...launch.args];
      return matcher.words.every((word, index) => words[index] === word);
    }
    case 'url':
      return launch.kind !== 'stdio' && matchesPattern(launch.url, matcher.pattern);
  }
}

/** `*` matches any run of characters; everything else is literal. Linear: no backtracking over more than one star. */
function matchesPattern(text: string, pattern: string): boolean {
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
