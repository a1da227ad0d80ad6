/** Checks server configs, their names, and what can never work. Writers and holt's own files use the same rules. */

import type { Complaint, ConfigFile, EntryContext } from '../agents/agent-format.ts';
import { parseTemplate } from '../dialects/parse-template.ts';
import { checkUrlTemplate } from '../dialects/template.ts';
import { nameProblem } from '../discovery/combine.ts';
import { parseJson } from '../documents/json.ts';
import { createLineIndex, type ObjectNode } from '../documents/tree.ts';
import { viewOf, type ServerDefinitionView } from '../kernel/definition-view.ts';
import { HoltError } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import type { Machine } from '../kernel/machine.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { readMachine } from '../platform/machine-facts.ts';
import { notPlain, readEitherShape } from './runtime-servers.ts';
import type { ServerConfig } from './server-config.ts';

export type ConfigVerdict =
  | {
      readonly ok: true;
      readonly definition: ServerDefinitionView;
      /** The given config, with the type that `openHost` and `host.add` take. */
      readonly config: ServerConfig;
    }
  | { readonly ok: false; readonly errors: readonly string[] };

/**
 * Accepts Claude's and opencode's shape. Unlike when reading files, any wrong type is an error: nothing is
 * dropped silently.
 */
export function validateServerConfig(config: unknown, name = 'server'): ConfigVerdict {
  const errors: string[] = [];
  const misnamed = nameProblem(name);
  if (misnamed !== undefined) errors.push(misnamed);
  const unfit = notPlain(config, name);
  if (unfit.length > 0) return { ok: false, errors: [...errors, ...unfit] };
  const node = toNode(config);
  if (node === undefined) return { ok: false, errors: [...errors, 'the config must be an object'] };
  const complaints: Complaint[] = [];
  const context = contextFor(name, node, (complaint) => complaints.push(complaint));
  const reading = readEitherShape(node, context);
  errors.push(
    ...complaints.filter(({ severity }) => severity !== 'info').map(({ message }) => plain(message, name)),
  );
  if (reading === undefined || errors.length > 0) return { ok: false, errors };
  const origin = { agent: 'holt', scope: 'runtime', file: '', line: 1, column: 1 } as const;
  const definition: ServerDefinition = {
    name,
    ...reading,
    origin,
    guarded: false,
    parts: [origin],
    alsoIn: [],
  };
  return { ok: true, definition: viewOf(definition), config: config as ServerConfig }; // just checked
}

/** Returns a valid config with its type. Throws `config-invalid` for any other value. */
export function requireServerConfig(config: unknown, name: string): ServerConfig {
  const verdict = validateServerConfig(config, name);
  if (verdict.ok) return verdict.config;
  const { errors } = verdict;
  throw new HoltError('config-invalid', `Invalid server config: ${errors.join('; ')}`, { errors });
}

/** Messages name the server, but here the caller knows which one it is. */
function plain(message: string, name: string): string {
  return message.replace(`server "${name}" cannot be used: `, '');
}

function toNode(config: unknown): ObjectNode | undefined {
  if (!isObject(config)) return undefined;
  const document = parseJson(JSON.stringify(config), { bom: false, utf16: false });
  return document.ok && document.root?.kind === 'object' ? document.root : undefined;
}

function contextFor(name: string, node: ObjectNode, report: (complaint: Complaint) => void): EntryContext {
  const machine: Machine = readMachine();
  const file: ConfigFile = {
    location: { path: '', scope: 'runtime', guarded: false, format: 'json' },
    path: '',
    root: node,
    machine,
    position: createLineIndex(''),
    report,
  };
  return { file, entry: { name, node, at: node.start }, inputs: [], report };
}

const writableName = /^[A-Za-z0-9_.-]{1,100}$/;

/** Names that programs and people may choose. Names read from other agents may be anything printable. */
export function isWritableName(name: string): boolean {
  return writableName.test(name);
}

/** Returns an error message for an invalid name; undefined for a valid one. */
export function wrongName(name: string): string | undefined {
  if (isWritableName(name)) return undefined;
  return `the name "${name}" must be 1 to 100 letters, digits, dots, dashes or underscores`;
}

const scheme = /^([a-z][a-z\d+.-]*):\/\//i;
const lineBreaks = /[\r\n\0]/;

/**
 * Returns error messages for what can never work in an entry, whatever it connects to: better reported when it is
 * written than at each start. They do not contain field values, which may be secret.
 */
export function unworkable({
  launch,
  dialect,
}: Pick<ServerDefinition, 'launch' | 'dialect'>): readonly string[] {
  if (launch.kind === 'stdio') {
    const [, found] = scheme.exec(launch.command) ?? [];
    return found === undefined
      ? []
      : [`"command" is a URL; that of a server begins with http, https, ws or wss, not ${found}`];
  }
  const placeholder = checkUrlTemplate(parseTemplate(launch.url, dialect, 'url'));
  const broken = Object.entries(launch.headers).filter(([, value]) => lineBreaks.test(value));
  return [
    ...(placeholder === undefined
      ? []
      : [`${placeholder} is in the scheme, host or port of the URL, which must be written out`]),
    ...broken.map(([name]) => `the value of the header ${name} has a line break`),
  ];
}
