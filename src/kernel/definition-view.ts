/**
 * A server definition as users of the library see it: one flat record that has only the fields that apply.
 */

import type { Timeouts } from './phases.ts';
import type {
  CopyOrigin,
  InheritEnv,
  OAuthSettings,
  Origin,
  RemoteLaunch,
  ServerDefinition,
  StdioLaunch,
  StoredLogin,
  StringMap,
  TlsSettings,
  ToolFilter,
  Transport,
  VariableReferences,
} from './servers.ts';
import type { Writable } from './type-tools.ts';

export interface ServerDefinitionView {
  readonly name: string;
  readonly transport: Transport;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: StringMap;
  readonly cwd?: string;
  readonly inheritEnv?: InheritEnv;
  readonly url?: string;
  readonly headers?: StringMap;
  readonly oauth?: false | OAuthSettings;
  readonly auth?: StoredLogin;
  readonly tls?: TlsSettings;
  readonly enabled: boolean;
  readonly timeouts: Timeouts;
  readonly tools?: ToolFilter;
  readonly origin: Origin;
  readonly alsoIn: readonly CopyOrigin[];
}

/**
 * Assigns field by field on purpose: lists have hundreds of views, and spreading small objects is several
 * times slower.
 */
export function viewOf(definition: ServerDefinition): ServerDefinitionView {
  const { name, launch, enabled, timeouts, tools, auth, origin, alsoIn } = definition;
  const view: Writable<ServerDefinitionView> = {
    name,
    transport: launch.kind,
    enabled,
    timeouts,
    origin,
    alsoIn,
  };
  if (tools !== undefined) view.tools = tools;
  if (auth !== undefined) view.auth = auth;
  if (launch.kind === 'stdio') addProgram(view, launch);
  else addAddress(view, launch);
  return view;
}

function addProgram(view: Writable<ServerDefinitionView>, launch: StdioLaunch): void {
  const { command, args, cwd, inheritEnv } = launch;
  view.command = command;
  view.args = args;
  view.env = withReferences(launch.env, launch.envFrom);
  if (cwd !== undefined) view.cwd = cwd;
  if (inheritEnv !== undefined) view.inheritEnv = inheritEnv;
}

function addAddress(view: Writable<ServerDefinitionView>, launch: RemoteLaunch): void {
  const { url, oauth, tls } = launch;
  view.url = url;
  view.headers = withReferences(launch.headers, launch.headersFrom);
  if (oauth !== undefined) view.oauth = oauth;
  if (tls !== undefined) view.tls = tls;
}

/** Merges values with variable references, which are written in holt's own placeholder syntax. */
export function withReferences(values: StringMap, references: VariableReferences): StringMap {
  const written = Object.entries(references);
  if (written.length === 0) return { ...values };
  return Object.fromEntries([
    ...Object.entries(values),
    ...written.map(
      ([key, { variable, prefix, suffix }]) => [key, `${prefix}\${${variable}}${suffix}`] as const,
    ),
  ]);
}
