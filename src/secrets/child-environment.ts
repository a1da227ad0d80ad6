/** Decides which of the host's environment variables a server receives. */

import { variablesIn } from '../dialects/mentions.ts';
import type { Machine } from '../kernel/machine.ts';
import type { InheritEnv, ServerDefinition } from '../kernel/servers.ts';
import { searchFolders } from '../platform/processes/find-program.ts';

type Environment = Readonly<Record<string, string>>;

/** Variables that most programs need to start, and that are unlikely to hold secrets. */
const plainNames = new Set(['HOME', 'PATH', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'TZ', 'TMPDIR', 'TERM']);
const networkNames = new Set(
  (
    'HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR ' +
    'REQUESTS_CA_BUNDLE CURL_CA_BUNDLE'
  ).split(' '),
);
/** Nothing starts on Windows without these. */
const windowsNames = new Set(
  (
    'SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT TEMP TMP USERNAME USERPROFILE HOMEDRIVE ' +
    'HOMEPATH APPDATA LOCALAPPDATA PROGRAMFILES PROGRAMDATA'
  ).split(' '),
);

/** True for variables that name places, users and languages: their values are not secrets. */
export function isPlainVariable(name: string, { os }: Machine): boolean {
  const known = os === 'windows' ? name.toUpperCase() : name;
  return plainNames.has(known) || known.startsWith('LC_') || (os === 'windows' && windowsNames.has(known));
}

function isSafe(name: string, machine: Machine): boolean {
  const upper = name.toUpperCase();
  // Proxy variables are common in lower and upper case; the others have one form, except on Windows.
  const isNetwork = networkNames.has(machine.os === 'windows' || upper.endsWith('_PROXY') ? upper : name);
  return isNetwork || isPlainVariable(name, machine);
}

/**
 * Returns `all` for servers that the user defined and `safe` for servers defined in the project, unless the
 * definition sets a rule.
 */
export function inheritanceOf({ launch, guarded }: ServerDefinition): InheritEnv {
  return (launch.kind === 'stdio' ? launch.inheritEnv : undefined) ?? (guarded ? 'safe' : 'all');
}

/**
 * Returns the variables that the definition's rule allows: all of them, or the safe list and those that the
 * definition names in placeholders or lists.
 */
export function inheritedEnvironment(definition: ServerDefinition, machine: Machine): Environment {
  const rule = inheritanceOf(definition);
  const fold = (name: string): string => (machine.os === 'windows' ? name.toUpperCase() : name);
  const named = new Set(
    [...variablesIn(definition).map(({ name }) => name), ...(typeof rule === 'string' ? [] : rule)].map(fold),
  );
  const isWanted = (name: string): boolean =>
    rule === 'all' || isSafe(name, machine) || named.has(fold(name));
  const entries = Object.entries(machine.env).flatMap(([name, value]) =>
    value !== undefined && isWanted(name) ? [[name, value] as const] : [],
  );
  return definition.guarded
    ? withSearchPath(Object.fromEntries(entries), machine)
    : Object.fromEntries(entries);
}

/** Removes relative folders from PATH: in a project, the project could put programs into them. */
export function withSearchPath(env: Environment, { os, path }: Machine): Environment {
  const clean = searchFolders(env, os).join(path.delimiter);
  const entries = Object.entries(env).flatMap(([name, value]) => {
    if ((os === 'windows' ? name.toUpperCase() : name) !== 'PATH') return [[name, value] as const];
    // An empty PATH would mean the current folder.
    return clean === '' ? [] : [[name, clean] as const];
  });
  return Object.fromEntries(entries);
}
