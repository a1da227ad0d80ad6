/** What of our environment a server gets to see. */

import type { Machine } from '../kernel/machine.ts';
import type { InheritEnv, ServerDefinition } from '../kernel/servers.ts';
import { variablesIn } from '../dialects/mentions.ts';

type Environment = Readonly<Record<string, string>>;

/** Enough to start a program; nothing that is likely to be a secret. */
const safeNames = new Set([
  'HOME',
  'PATH',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'TZ',
  'TMPDIR',
  'TERM',
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
const windowsNames = new Set(['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'TEMP', 'TMP', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'PROGRAMFILES', 'PROGRAMDATA']);

function isSafe(name: string, { os }: Machine): boolean {
  const upper = name.toUpperCase();
  if (os === 'windows') return safeNames.has(upper) || windowsNames.has(upper) || upper.startsWith('LC_');
  return safeNames.has(name) || name.startsWith('LC_') || (safeNames.has(upper) && upper.endsWith('_PROXY'));
}

/** `all` for what the user wrote, `safe` for what a project brought, unless the definition says otherwise. */
export function inheritanceOf({ launch, guarded }: ServerDefinition): InheritEnv {
  return (launch.kind === 'stdio' ? launch.inheritEnv : undefined) ?? (guarded ? 'safe' : 'all');
}

export function inheritedEnvironment(definition: ServerDefinition, machine: Machine): Environment {
  const rule = inheritanceOf(definition);
  const own = new Set(variablesIn(definition).map(({ name }) => name));
  const wanted = (name: string): boolean => {
    if (rule === 'all') return true;
    if (rule === 'safe') return isSafe(name, machine) || own.has(name);
    return rule.includes(name);
  };
  const entries = Object.entries(machine.env).flatMap(([name, value]) => (value !== undefined && wanted(name) ? [[name, value] as const] : []));
  return Object.fromEntries(entries);
}
