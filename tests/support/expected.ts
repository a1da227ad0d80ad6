/** Short helpers for the definitions and problems that an agent test expects, one line each where possible. */

import type { AgentFormat } from '../../src/agents/agent-format.ts';
import type { AgentId } from '../../src/kernel/agent-ids.ts';
import type { Problem } from '../../src/kernel/problems.ts';
import type { Origin, RemoteLaunch, Scope, StdioLaunch } from '../../src/kernel/servers.ts';
import { makeMachine, type AgentCase } from './agent-machine.ts';

export function stdio(
  command: string,
  more: Partial<Omit<StdioLaunch, 'kind' | 'command'>> = {},
): StdioLaunch {
  return { kind: 'stdio', command, args: [], env: {}, envFrom: {}, ...more };
}

export function remote(
  kind: RemoteLaunch['kind'],
  url: string,
  more: Partial<Omit<RemoteLaunch, 'kind' | 'url'>> = {},
): RemoteLaunch {
  return { kind, url, headers: {}, headersFrom: {}, ...more };
}

/** Origins in one file. */
export function placeIn(
  agent: AgentId,
  scope: Scope,
  file: string,
): (line: number, column: number) => Origin {
  return (line, column) => ({ agent, scope, file, line, column });
}

/** Where an agent looks, weakest first: `user /home/ada/.cursor/mcp.json`. A `*` stands for any matching name in a folder. */
export function placesOf(format: AgentFormat, agentCase: Partial<AgentCase> = {}): readonly string[] {
  const machine = makeMachine(agentCase);
  return format
    .locate(machine)
    .map(({ scope, path, each, below }) =>
      each === undefined ? `${scope} ${path}` : `${scope} ${machine.path.join(path, '*', below ?? '')}`,
    );
}

/** Every problem with all it says: `place severity code server: message → remedy`. */
export function problemLines({ problems }: { readonly problems: readonly Problem[] }): readonly string[] {
  return problems.map(({ file, line, column, severity, code, server, message, remedy }) => {
    const about = server === undefined ? '' : ` ${server}`;
    return `${file}:${line}:${column} ${severity} ${code}${about}: ${message}${remedy === undefined ? '' : ` → ${remedy}`}`;
  });
}
