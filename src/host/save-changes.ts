/** Changes of a running host that are to last: written by the same code as the commands write, and taken back by `holt undo`. */

import { isAgentId } from '../kernel/agent-ids.ts';
import { HoltError } from '../kernel/errors.ts';
import type { Machine } from '../kernel/machine.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { Files } from '../platform/files.ts';
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
  return {
    added: async (name, config, { agent = 'holt', scope = 'user' }) => {
      if (!isAgentId(agent))
        throw new HoltError('agent-unknown', `"${agent}" is no agent holt knows`, { agent });
      const { applyAdd, planAdd } = await import('../editing/add-server.ts');
      await applyAdd(await planAdd({ name, config, agent, scope, replace: true }, parts), parts);
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
