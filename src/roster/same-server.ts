/** Keys that compare definitions: one by content, one by the server that they reach. */

import { canonicalText } from '../dialects/parse-template.ts';
import type { FieldKind } from '../dialects/template.ts';
import type { ServerDefinition, StdioLaunch, StringMap, VariableReferences } from '../kernel/servers.ts';

type Pair = readonly [key: string, text: string];

/**
 * Equal for definitions with the same launch: transport, command, args, cwd, env, url, headers, oauth and so
 * on, each read in its own dialect. Switches, timeouts and filters do not count.
 */
export function contentKey({ launch, dialect }: ServerDefinition): string {
  const text = (value: string, field: FieldKind): string => canonicalText(value, dialect, field);
  const map = (values: StringMap, from: VariableReferences, field: FieldKind): readonly unknown[] =>
    [
      ...Object.entries(values).map(([key, value]): Pair => [key, text(value, field)]),
      ...Object.entries(from).map(([key, { variable, prefix, suffix }]): Pair => [
        key,
        canonicalText(`${prefix}\${${variable}}${suffix}`, 'claude', field),
      ]),
    ].toSorted(([left], [right]) => (left < right ? -1 : 1));
  if (launch.kind === 'stdio') {
    const { command, args, cwd, env, envFrom, inheritEnv } = launch;
    return JSON.stringify([
      'stdio',
      text(command, 'command'),
      args.map((argument) => text(argument, 'args')),
      cwd === undefined ? null : text(cwd, 'cwd'),
      map(env, envFrom, 'env'),
      inheritEnv ?? null,
    ]);
  }
  const headers = Object.fromEntries(
    Object.entries(launch.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const headersFrom = Object.fromEntries(
    Object.entries(launch.headersFrom).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return JSON.stringify([
    launch.kind,
    text(launch.url, 'url'),
    map(headers, headersFrom, 'headers'),
    launch.headersHelper ?? null,
    launch.oauth ?? null,
    launch.tls ?? null,
  ]);
}

const isRemoteProxy = /(^|\/)mcp-remote(@[^/]*)?$/;
const runners: ReadonlySet<string | undefined> = new Set(['npx', 'npx.cmd', 'bunx', 'uvx']);

/** Equal for definitions that reach the same server, whatever their names and the way they are launched. */
export function endpointKey({ launch }: ServerDefinition): string {
  if (launch.kind !== 'stdio') return normalUrl(launch.url);
  const words = programWords(launch);
  const remote = words.findIndex((word) => word.includes('mcp-remote') && isRemoteProxy.test(word));
  const wrapped = remote === -1 ? undefined : words[remote + 1];
  if (wrapped !== undefined && /^https?:/.test(wrapped)) return normalUrl(wrapped);
  const env = namesOf(launch);
  return JSON.stringify([words, launch.cwd ?? null, env.map((key) => [key, launch.env[key] ?? null])]);
}

function namesOf({ env, envFrom }: StdioLaunch): readonly string[] {
  const [own, references] = [Object.keys(env), Object.keys(envFrom)];
  return (references.length === 0 ? own : [...new Set([...own, ...references])]).toSorted();
}

/**
 * Returns the words without a shell around them, and with one name for all programs that fetch and run a
 * package.
 */
function programWords({ command, args }: StdioLaunch): readonly string[] {
  const inShell = args[0]?.toLowerCase() === '/c' && /^cmd(\.exe)?$/i.test(command);
  const words = inShell ? args.slice(1) : [command, ...args];
  if (!runners.has(words[0])) return words;
  return ['npx', ...words.slice(1).filter((word) => word !== '-y' && word !== '--yes')];
}

function normalUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  url.hash = '';
  if (url.pathname.endsWith('/')) url.pathname = url.pathname.slice(0, -1);
  return url.href;
}
