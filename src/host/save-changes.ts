/** Changes of a running host that are to last: written by the same code as the commands write, and taken back by `holt undo`. */

import { isDeepStrictEqual } from 'node:util';

import { isAgentId } from '../kernel/agent-ids.ts';
import { HoltError } from '../kernel/errors.ts';
import type { Machine } from '../kernel/machine.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { Files } from '../platform/files.ts';
import { hasLiteralValues } from '../roster/literal-values.ts';
import type { SaveTarget } from './host.ts';

export interface Saver {
  added(name: string, config: unknown, target: SaveTarget): Promise<void>;
  removed(definition: ServerDefinition): Promise<void>;
  switched(definition: ServerDefinition, state: 'on' | 'off'): Promise<void>;
}

export interface SaverParts {
  readonly machine: Machine;
  readonly files: Files;
  readonly now: () => number;
}

/** What writes is loaded when something is written: few hosts ever do. */
export function createSaver(parts: SaverParts): Saver {
  /** What this host has written, as it is read back. Only that is its own to replace. */
  const written = new Map<string, unknown>();
  return {
    added: async (name, config, { agent = 'holt', scope = 'user' }) => {
      if (!isAgentId(agent))
        throw new HoltError('agent-unknown', `"${agent}" is no agent holt knows`, { agent });
      const { alreadyExists, applyAdd, planAdd } = await import('../editing/add-server.ts');
      const request = { name, config, agent, scope, replace: true };
      const plan = await planAdd(request, parts);
      const key = JSON.stringify([plan.file, name]);
      // Somebody else's entry, or one that somebody has changed since.
      if (plan.previous !== undefined && !isDeepStrictEqual(plan.previous, written.get(key)))
        throw alreadyExists(name, plan.file);
      if (hasLiteralValues(config) && plan.lost.length > 0) throw notLiteral(plan);
      await applyAdd(plan, parts);
      written.set(key, (await planAdd(request, parts)).previous);
    },
    removed: async (definition) => {
      const { removeServer } = await import('../editing/remove-server.ts');
      await removeServer(definition, parts);
    },
    switched: async (definition, state) => {
      const { setEnabled } = await import('../editing/set-enabled.ts');
      await setEnabled(definition, state, parts);
    },
  };
}

/** Once in a file, they would be filled in with something else. */
function notLiteral({ file, lost }: { readonly file: string; readonly lost: readonly string[] }): HoltError {
  const reason = `it cannot be written to ${file} as it is: ${lost.join(', ')}`;
  return new HoltError('config-invalid', `Invalid server config: ${reason}`, { errors: [reason] });
}
