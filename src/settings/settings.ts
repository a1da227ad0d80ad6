/**
 * Defines every setting. This one table drives reading, checking, the environment variables, the generated
 * JSON Schemas and the reference: a new setting is a new row.
 */

import type { Timeouts } from '../kernel/phases.ts';
import type { StartChoice } from '../kernel/servers.ts';
import {
  addRules,
  allBut,
  ignored,
  leaves,
  onlyNarrowAgents,
  onlySmaller,
  onlySmallerLeaves,
  replace,
  unlimited,
  type Join,
  type ProjectRule,
} from './layers/join.ts';
import { noRules, permissions, type Permissions } from './values/permission-rules.ts';
import {
  agentWords,
  credentialStores,
  hooks,
  namingProfiles,
  network,
  receiveLimits,
  shortestLimits,
  startIn,
  telemetry,
  timeouts,
  trust,
  usualReceiveLimits,
  type CredentialStoreKind,
  type HookSettings,
  type NamingProfile,
  type NetworkSettings,
  type ReceiveLimits,
  type TrustSettings,
} from './values/setting-values.ts';
import { oneOf, wholeNumber, type Shape } from './values/shapes.ts';

export { namingProfiles } from './values/setting-values.ts';
export type { Permissions } from './values/permission-rules.ts';
export type {
  CredentialStoreKind,
  HookSettings,
  NamingProfile,
  NetworkSettings,
  ReceiveLimits,
  TrustSettings,
} from './values/setting-values.ts';
export type { SettingOrigin } from './values/shapes.ts';

export interface Settings {
  readonly agents: readonly string[];
  readonly naming: NamingProfile;
  readonly maxNameLength: number;
  readonly permissions: Permissions;
  readonly hooks: HookSettings;
  readonly credentialStore: CredentialStoreKind;
  readonly daemon: 'off' | 'auto';
  readonly limits: ReceiveLimits;
  readonly startIn: Readonly<Record<string, StartChoice>>;
  readonly trust: TrustSettings;
  readonly timeouts: Timeouts;
  readonly concurrency: number;
  readonly results: number;
  readonly network: NetworkSettings;
  readonly telemetry: string;
}

export type SettingName = keyof Settings;

/** What one file may set: of an object, any of its fields. */
export interface SettingParts extends Omit<Settings, 'permissions' | 'limits' | 'trust'> {
  readonly permissions: Partial<Permissions>;
  readonly limits: Partial<Settings['limits']>;
  readonly trust: Partial<TrustSettings>;
}

export interface Setting<Value, Part> {
  readonly description: string;
  readonly fallback: Value;
  readonly shape: Shape<Part>;
  /** How a stronger layer's value is combined with a weaker one's. */
  readonly join: Join<Value, Part>;
  /** What the value may do in `<project>/.holt/config.json` and `config.local.json`. */
  readonly inProject: ProjectRule<Value, Part>;
  /** True if a project's value applies only to servers that the project defines. */
  readonly forOwnServers?: true;
  /** For lists of words: a value given as text may also be written as `a,b`. */
  readonly commas?: true;
}

type SettingsTable = { readonly [Name in SettingName]: Setting<Settings[Name], SettingParts[Name]> };

export const settingsTable: SettingsTable = {
  agents: {
    description:
      'Which agents’ files are read, in order of preference; "!id" leaves one out, "*" is all the rest',
    fallback: ['*'],
    shape: agentWords,
    join: replace(),
    inProject: onlyNarrowAgents,
    forOwnServers: true,
    commas: true,
  },
  naming: {
    description: 'How the public names of tools are made',
    fallback: 'double',
    shape: oneOf(namingProfiles),
    join: replace(),
    inProject: allBut(
      (profile) => profile === 'bare',
      'a project’s file may choose any profile but "bare", which hides whose tool it is',
    ),
  },
  maxNameLength: {
    description: 'The longest public name of a tool, in characters',
    fallback: 64,
    // Room for a few characters, "_" and eight hex digits.
    shape: wholeNumber(16, 256),
    join: replace(),
    inProject: onlySmaller,
  },
  permissions: {
    description: 'Rules for tools; deny beats ask beats allow, and what no rule matches is asked',
    fallback: noRules,
    shape: permissions,
    join: addRules,
    inProject: unlimited(
      'deny and ask rules of a project’s file add to the others; its allow rules count only for that project’s approved servers',
    ),
  },
  hooks: {
    description: 'Commands that run before or after a call, with JSON on their standard input',
    fallback: {},
    shape: hooks,
    join: leaves(),
    inProject: ignored,
  },
  credentialStore: {
    description: 'Where logins are kept',
    fallback: 'file',
    shape: oneOf(credentialStores),
    join: replace(),
    inProject: ignored,
  },
  daemon: {
    description: 'Whether servers may be shared through a background process',
    fallback: 'off',
    shape: oneOf(['off', 'auto']),
    join: replace(),
    inProject: ignored,
  },
  limits: {
    description:
      'How much is taken in from servers: bytes and structural characters of one message, bytes of one list, of all lists of a host, and of the results in flight in a host',
    fallback: usualReceiveLimits,
    shape: receiveLimits,
    join: leaves(),
    inProject: onlySmallerLeaves(usualReceiveLimits),
    forOwnServers: true,
  },
  startIn: {
    description:
      'By server: whether a server of yours starts in the "home" folder or in the "project"; otherwise the project’s folder has to be trusted first (holt trust --folder)',
    fallback: {},
    shape: startIn,
    join: leaves(),
    inProject: ignored,
  },
  trust: {
    description: 'Project folders whose files are read regardless of who may write them',
    fallback: { safeDirectories: [] },
    shape: trust,
    join: leaves(),
    inProject: ignored,
  },
  timeouts: {
    description: 'How long servers may take, in milliseconds; what is left out has the usual limit',
    fallback: {},
    shape: timeouts,
    join: leaves(),
    inProject: onlySmallerLeaves(shortestLimits),
    forOwnServers: true,
  },
  concurrency: {
    description: 'How many local servers are started at a time',
    fallback: 8,
    shape: wholeNumber(1, 1024),
    join: replace(),
    inProject: onlySmaller,
  },
  results: {
    description: 'How many bytes of text a result may have before the rest goes to a file',
    fallback: 256 << 10,
    shape: wholeNumber(1024, 256 << 20),
    join: replace(),
    inProject: onlySmaller,
    forOwnServers: true,
  },
  network: {
    description:
      'Proxy, extra certificate authorities and client certificates, for all servers or per origin',
    fallback: {},
    shape: network,
    join: leaves(),
    inProject: ignored,
  },
  telemetry: {
    description: 'Where measurements are sent by OTLP; "off" sends none',
    fallback: 'off',
    shape: telemetry,
    join: replace(),
    inProject: allBut((endpoint) => endpoint !== 'off', 'a project’s file may only switch it off'),
  },
};

/** The user's choice of where a server starts, by the server's name. */
export function startChoiceOf(
  { startIn: choices }: Settings,
  { name }: { readonly name: string },
): StartChoice | undefined {
  return Object.hasOwn(choices, name) ? choices[name] : undefined;
}

/** Describes the rule for a project's files, for the reference, the schema and warnings. */
export function projectRuleText(name: SettingName): string {
  const { inProject, forOwnServers } = settingsTable[name];
  return forOwnServers === true
    ? `${inProject.says}; it applies only to servers that the project defines`
    : inProject.says;
}

export function isSettingName(word: string): word is SettingName {
  return Object.hasOwn(settingsTable, word);
}

/** In the order of the table. */
export const settingNames: readonly SettingName[] = Object.keys(settingsTable).filter(isSettingName);

/** The environment variable of a setting: `credentialStore` is `HOLT_CREDENTIAL_STORE`. */
export function variableOf(name: SettingName): string {
  return `HOLT_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}
