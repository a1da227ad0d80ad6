/** A definition as users of the library see it: one flat record with the fields that apply. */

import type { AgentId } from './agent-ids.ts';
import type { Timeouts } from './phases.ts';
import type {
  InheritEnv,
  OAuthSettings,
  Origin,
  ServerDefinition,
  StoredLogin,
  StringMap,
  TlsSettings,
  ToolFilter,
  Transport,
  VariableReferences,
} from './servers.ts';

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
  readonly alsoIn: readonly Origin[];
}

export function viewOf(definition: ServerDefinition): ServerDefinitionView {
  const { name, launch, enabled, timeouts, tools, auth, origin, alsoIn } = definition;
  const shared = {
    name,
    transport: launch.kind,
    enabled,
    timeouts,
    ...(tools === undefined ? {} : { tools }),
    ...(auth === undefined ? {} : { auth }),
    origin,
    alsoIn,
  };
  if (launch.kind === 'stdio') {
    const { command, args, cwd, inheritEnv } = launch;
    return {
      ...shared,
      command,
      args,
      env: withReferences(launch.env, launch.envFrom),
      ...(cwd === undefined ? {} : { cwd }),
      ...(inheritEnv === undefined ? {} : { inheritEnv }),
    };
  }
  const { url, oauth, tls } = launch;
  return {
    ...shared,
    url,
    headers: withReferences(launch.headers, launch.headersFrom),
    ...(oauth === undefined ? {} : { oauth }),
    ...(tls === undefined ? {} : { tls }),
  };
}

/** Values taken from variables are shown the way holt's own files would write them. */
export function withReferences(values: StringMap, references: VariableReferences): StringMap {
  const written = Object.entries(references).map(
    ([key, { variable, prefix, suffix }]) => [key, `${prefix}\${${variable}}${suffix}`] as const,
  );
  return Object.fromEntries([...Object.entries(values), ...written]);
}

/** The agent ids a definition was found in, its own first. */
export function agentsOf({ origin, alsoIn }: ServerDefinition): readonly AgentId[] {
  return [...new Set([origin, ...alsoIn].map(({ agent }) => agent))];
}
