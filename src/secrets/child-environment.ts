/** What of our environment a server gets to see. */

import { variablesIn } from '../dialects/mentions.ts';
import type { Machine } from '../kernel/machine.ts';
import type { InheritEnv, ServerDefinition } from '../kernel/servers.ts';
import { searchFolders } from '../platform/find-program.ts';

type Environment = Readonly<Record<string, string>>;

/** Enough to start a program; nothing that is likely to be a secret. */
const plainNames = new Set(['HOME', 'PATH', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'TZ', 'TMPDIR', 'TERM']);
const networkNames = new Set([
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'ALL_PROXY',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
]);
/** Without these nothing starts on Windows. */
const windowsNames = new Set([
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'WINDIR',
  'COMSPEC',
  'PATHEXT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'HOMEDRIVE',
  'HOMEPATH',
  'APPDATA',
  'LOCALAPPDATA',
  'PROGRAMFILES',
  'PROGRAMDATA',
]);

/** Variables that say where things are and how they are called: their values are no secrets. */
export function isPlainVariable(name: string, { os }: Machine): boolean {
  const known = os === 'windows' ? name.toUpperCase() : name;
  return plainNames.has(known) || known.startsWith('LC_') || (os === 'windows' && windowsNames.has(known));
}

function isSafe(name: string, machine: Machine): boolean {
  const upper = name.toUpperCase();
  // Proxies are written in small letters as often as in capitals; the others only one way, but for Windows.
  const isNetwork = networkNames.has(machine.os === 'windows' || upper.endsWith('_PROXY') ? upper : name);
  return isNetwork || isPlainVariable(name, machine);
}

/** `all` for what the user wrote, `safe` for what a project brought, unless the definition says otherwise. */
export function inheritanceOf({ launch, guarded }: ServerDefinition): InheritEnv {
  return (launch.kind === 'stdio' ? launch.inheritEnv : undefined) ?? (guarded ? 'safe' : 'all');
}

/** The safe list, and the variables that the definition names in placeholders or lists; or simply all. */
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

/** PATH without what is relative to wherever the program happens to be: in a project that is the project's to fill. */
export function withSearchPath(env: Environment, { os, path }: Machine): Environment {
  const clean = searchFolders(env, os).join(path.delimiter);
  const entries = Object.entries(env).flatMap(([name, value]) => {
    if ((os === 'windows' ? name.toUpperCase() : name) !== 'PATH') return [[name, value] as const];
    // An empty PATH would mean the folder itself.
    return clean === '' ? [] : [[name, clean] as const];
  });
  return Object.fromEntries(entries);
}
