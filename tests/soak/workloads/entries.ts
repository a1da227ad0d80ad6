/** Entries of server programs for a host, each with a secret that no other server may see. */

import path from 'node:path';

import { ownerName, programFile, type WorkloadContext } from '../workload-context.ts';

const launcher = path.join(import.meta.dirname, '..', '..', 'fixtures', 'servers', 'starts-process-tree.mjs');

export interface ProgramOptions {
  readonly tools: readonly string[];
  readonly canaries: readonly string[];
  /** Its own secret. */
  readonly canary?: string;
  readonly daemon?: boolean;
  readonly versions?: string;
  /** Behind a shell behind a program, as package runners do it. */
  readonly isTree?: boolean;
}

export function programEntry(context: WorkloadContext, server: string, options: ProgramOptions): object {
  const { canary, isTree, ...rest } = options;
  const task = JSON.stringify({ server, history: path.join(context.history, `${server}.jsonl`), ...rest });
  const args =
    isTree === true
      ? [launcher, '../../soak/programs/soak-server', task]
      : [programFile('soak-server'), task];
  // As a placeholder: the entry stays the same for every owner, and so do its pins.
  const env = { [ownerName]: `\${${ownerName}}`, SOAK_SERVER: server };
  return {
    command: process.execPath,
    args,
    inheritEnv: 'safe',
    env: canary === undefined ? env : { ...env, SOAK_KEY: canary },
  };
}
