/** Problems and locations in a short form for assertions. */

import type { AgentFormat } from '../../src/agents/agent-format.ts';
import type { Problem } from '../../src/kernel/problems.ts';
import { makeMachine, type AgentCase } from './agent-machine.ts';

/** `3:16 warning agent-refuses fs: what is wrong` */
export function problemLines({ problems }: { readonly problems: readonly Problem[] }): readonly string[] {
  return problems.map(
    ({ line, column, severity, code, server, message }) =>
      `${line}:${column} ${severity} ${code}${server === undefined ? '' : ` ${server}`}: ${message}`,
  );
}

/** Where an agent looks on such a machine, weakest first: `user /home/ada/.x`. */
export function locationsOf(format: AgentFormat, machine: Partial<AgentCase>): readonly string[] {
  return format.locate(makeMachine(machine)).map(({ scope, path }) => `${scope} ${path}`);
}
