/** From a definition that may run to a plan that can: placeholders become values, each in its own dialect, in one pass. */

import { expandParts, type TemplateValues } from '../dialects/expand.ts';
import { parseTemplate } from '../dialects/parse-template.ts';
import type { FieldKind } from '../dialects/template.ts';
import { checkUrlTemplate } from '../dialects/url-template.ts';
import { HoltError } from '../kernel/errors.ts';
import type { RemoteLaunch, StdioLaunch, StringMap, VariableReferences } from '../kernel/servers.ts';
import type { Redactor } from '../masking/redactor.ts';
import { SecretValue } from '../masking/secret-value.ts';
import type { TrustedServer } from '../trust/trust-gate.ts';
import { inheritedEnvironment } from './child-environment.ts';
import { knownValue } from './known-values.ts';
import type { LaunchPlan, RemotePlan, StdioPlan } from './launch-plan.ts';
import { locateProgram, startFolder } from './programs.ts';
import { commandValue, fetchValues, type SourceParts } from './secret-sources.ts';

export interface ResolveParts extends SourceParts {
  /** Learns every value that is filled in, so that none of them is ever shown. */
  readonly redactor: Redactor;
  /** Told when a placeholder is sent as written because its agent does so. */
  readonly onKept?: (raw: string) => void;
}

export async function resolveLaunch(server: TrustedServer, parts: ResolveParts): Promise<LaunchPlan> {
  const fetched = await fetchValues(server, parts);
  const values: TemplateValues = {
    variable: (name) => learn(parts.machine.env[name], parts),
    input: (id) => learn(fetched.inputs.get(id), parts),
    file: (path) => learn(fetched.files.get(path), parts),
    command: (line) => learn(fetched.commands.get(line), parts),
    known: (name) => knownValue(name, server, parts.machine),
  };
  const fill: Fill = (text, field, path) => expand(server, { text, field, path }, values, parts);
  const { launch } = server;
  const plan = launch.kind === 'stdio' ? planProgram(server, launch, fill, parts) : await planRemote(server, launch, fill, parts);
  return plan as LaunchPlan; // the only place that may say so
}

type Fill = (text: string, field: FieldKind, path: string) => string;

/** A value in use is a value to hide. Short ones are left to the shapes that masking knows. */
function learn(value: string | undefined, { redactor }: ResolveParts): string | undefined {
  if (value !== undefined && value !== '') redactor.add(value);
  return value;
}

function expand(server: TrustedServer, at: { readonly text: string; readonly field: FieldKind; readonly path: string }, values: TemplateValues, parts: ResolveParts): string {
  const expansion = expandParts(parseTemplate(at.text, server.dialect, at.field), values);
  if (expansion.ok) {
    for (const { raw } of expansion.kept) parts.onKept?.(raw);
    return expansion.text;
  }
  const [first] = expansion.missing;
  const what = first?.kind === 'variable' ? `the variable ${first.name} is not set` : `${first?.raw ?? ''} has no value`;
  throw unresolved(server, at.path, what, first?.kind === 'variable' ? `Set ${first.name}, or change ${server.origin.file}:${server.origin.line}.` : undefined);
}

function unresolved({ name }: TrustedServer, field: string, reason: string, remedy?: string): HoltError {
  const message = `Server "${name}" cannot start: ${reason} (needed for "${field}")`;
  return new HoltError('secret-unresolved', message, { server: name, field, reason }, remedy === undefined ? {} : { remedy });
}

function planProgram(server: TrustedServer, launch: StdioLaunch, fill: Fill, parts: ResolveParts): StdioPlan {
  const own = fillMap(launch.env, 'env', fill);
  const named = fillReferences(server, launch.envFrom, parts);
  const env: Record<string, string> = { ...inheritedEnvironment(server, parts.machine), ...named, ...own };
  for (const [name, value] of Object.entries(env)) {
    if (/\0/.test(name + value)) throw unresolved(server, `env.${name}`, 'its value has a NUL character');
  }
  const command = fill(launch.command, 'command', 'command');
  const cwd = startFolder(server, launch.cwd === undefined ? undefined : fill(launch.cwd, 'cwd', 'cwd'), parts.machine);
  return {
    kind: 'stdio',
    server: server.name,
    program: locateProgram(server, command, { cwd, env, machine: parts.machine }),
    args: launch.args.map((argument, index) => new SecretValue(fill(argument, 'args', `args[${index}]`))),
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, new SecretValue(value)])),
    cwd,
  };
}

async function planRemote(server: TrustedServer, launch: RemoteLaunch, fill: Fill, parts: ResolveParts): Promise<RemotePlan> {
  const offending = checkUrlTemplate(parseTemplate(launch.url, server.dialect, 'url'));
  if (offending !== undefined) throw unresolved(server, 'url', `${offending} stands in the scheme, host or port of the URL`);
  const text = fill(launch.url, 'url', 'url');
  if (!URL.canParse(text)) throw unresolved(server, 'url', 'the URL is not valid');
  const url = new URL(text);
  const headers = {
    ...fillMap(launch.headers, 'headers', fill),
    ...fillReferences(server, launch.headersFrom, parts),
    ...(await helperHeaders(server, launch, parts)),
  };
  for (const [name, value] of Object.entries(headers)) {
    // The value is not named: it may be the secret itself.
    if (/[\r\n\0]/.test(name + value)) throw unresolved(server, `headers.${name}`, 'its value has a line break or a NUL character');
  }
  return {
    kind: launch.kind,
    server: server.name,
    url: new SecretValue(text),
    origin: url.origin === 'null' ? `${url.protocol}//${url.host}` : url.origin,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, new SecretValue(value)])),
    ...(launch.tls === undefined ? {} : { tls: launch.tls }),
  };
}

function fillMap(map: StringMap, field: 'env' | 'headers', fill: Fill): Record<string, string> {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, fill(value, field, `${field}.${name}`)]));
}

/** Values taken from variables by name. What is not set is left out, except a token: without it nothing would work. */
function fillReferences(server: TrustedServer, references: VariableReferences, parts: ResolveParts): Record<string, string> {
  const filled: Record<string, string> = {};
  for (const [name, { variable, prefix, suffix }] of Object.entries(references)) {
    const value = learn(parts.machine.env[variable], parts);
    if (value !== undefined) filled[name] = `${prefix}${value}${suffix}`;
    else if (name.toLowerCase() === 'authorization') {
      throw unresolved(server, `headers.${name}`, `the variable ${variable} is not set`, `Set ${variable}.`);
    }
  }
  return filled;
}

/** Claude's and Codex's helpers: a command that prints a JSON object of headers. */
async function helperHeaders(server: TrustedServer, { headersHelper }: RemoteLaunch, parts: ResolveParts): Promise<Record<string, string>> {
  if (headersHelper === undefined) return {};
  const text = await commandValue(server, { kind: 'shell', line: headersHelper }, 'headersHelper', parts);
  const headers = parseHeaders(text);
  if (headers === undefined) throw unresolved(server, 'headersHelper', 'the command did not print a JSON object of texts');
  for (const value of Object.values(headers)) learn(value, parts);
  return headers;
}

function parseHeaders(text: string): Record<string, string> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const entries = Object.entries(value).flatMap(([name, header]) => (typeof header === 'string' ? [[name, header] as const] : []));
    return entries.length === Object.keys(value).length ? Object.fromEntries(entries) : undefined;
  } catch {
    return undefined;
  }
}
