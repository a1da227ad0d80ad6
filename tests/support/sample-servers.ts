/** Definitions as a project would define them, and a machine with a few files, for tests of trust and secrets. */

import type { ServerDefinition } from '../../src/kernel/servers.ts';
import type { Approvals, TrustState } from '../../src/trust/trust-state.ts';
import type { FileOutcome, Files } from '../../src/platform/files/files.ts';
import { defined, program, remote } from './golden-file.ts';

const origin = {
  agent: 'mcp-json',
  scope: 'project',
  file: '/srv/shop/.mcp.json',
  line: 3,
  column: 5,
} as const;

type More = Partial<ServerDefinition>;

export function projectProgram(
  command: string,
  args: readonly string[] = [],
  launch: Partial<ReturnType<typeof program>> = {},
  more: More = {},
): ServerDefinition {
  return defined('shop', {
    launch: program(command, args, launch),
    origin,
    guarded: true,
    dialect: 'holt',
    ...more,
  });
}

export function projectRemote(
  url: string,
  launch: Partial<ReturnType<typeof remote>> = {},
  more: More = {},
): ServerDefinition {
  return defined('shop', {
    launch: remote('http', url, launch),
    origin,
    guarded: true,
    dialect: 'holt',
    ...more,
  });
}

/** The same as a file in the home folder would define it. */
export function asUsers(definition: ServerDefinition): ServerDefinition {
  const mine = { ...origin, scope: 'user', file: '/home/ada/.claude.json' } as const;
  return { ...definition, guarded: false, origin: mine, parts: [mine] };
}

/** Approvals that give one answer to everything. */
export function alwaysSaying(state: TrustState): Approvals {
  return {
    stateOf: () => state,
    fingerprintOf: () => ({ digest: 'sha256:0', fields: [] }),
    folderTrust: () => 'unknown',
  };
}

/** Files of which some are not what they seem: links, folders, pipes. */
export function withOutcomes(files: Files, outcomes: Readonly<Record<string, FileOutcome>>): Files {
  const special = new Map(Object.entries(outcomes));
  return {
    ...files,
    load: (path, maxBytes) => special.get(path) ?? files.load(path, maxBytes),
    exists: (path) => special.has(path) || files.exists(path),
  };
}

export function linkTo(realPath: string, content: string): FileOutcome {
  return { kind: 'file', bytes: Buffer.from(content), realPath, facts: { uid: 0, gid: 0, mode: 0o644 } };
}
