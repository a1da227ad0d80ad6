/**
 * Continue: a list in `config.yaml`. Without that file, writes a separate block instead, because a new
 * `config.yaml` would disable an older `config.json`; a block in JSON has Claude's map.
 */

import type { JsonMap } from '../../kernel/json.ts';
import { movedHome } from '../../agents/places.ts';
import type { Spelling } from './spelling.ts';
import { inProject, mapShelf, readerOf, type AgentWriter, type Look, type Target } from './target.ts';

const inList: Spelling = {
  dialect: 'continue',
  types: { stdio: null, http: 'streamable-http', sse: 'sse', ws: 'websocket' },
  timeouts: [{ key: 'connectionTimeout', unit: 'ms', means: 'start' }],
  finish: (entry, _content, name): JsonMap => {
    const { headers, ...rest } = entry;
    return { name, ...rest, ...(headers === undefined ? {} : { requestOptions: { headers } }) };
  },
};

const inBlock: Spelling = {
  dialect: 'continue-json',
  types: { stdio: null, http: 'http', sse: 'sse' },
  timeouts: inList.timeouts ?? [],
};

function userTarget({ machine, files }: Look): Target {
  const folder = movedHome(machine, 'CONTINUE_GLOBAL_DIR', '.continue');
  const config = machine.path.join(folder, 'config.yaml');
  if (!files.exists(config)) return blockTarget(machine.path.join(folder, 'mcpServers', 'mcp.json'));
  return {
    file: config,
    format: 'yaml',
    reader: readerOf('continue'),
    shelf: () => ({ kind: 'list', paths: [['mcpServers']] }),
    spellingAt: () => inList,
  };
}

function blockTarget(file: string): Target {
  return {
    file,
    format: 'json',
    reader: readerOf('continue'),
    shelf: mapShelf([['mcpServers']]),
    spellingAt: () => inBlock,
  };
}

export const continueWriter: AgentWriter = {
  agent: 'continue',
  scopes: ['user', 'project'],
  // Neither form has a switch, so either one works.
  spellingAt: () => inList,
  target: (scope, look) =>
    scope === 'user' ? userTarget(look) : blockTarget(inProject('.continue/mcpServers/mcp.json')(look)),
};
