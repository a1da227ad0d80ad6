/**
 * Converts a launch plan to the program to start. This reveals the plan's secret values, so none of them may
 * be displayed.
 */

import { maskArgs } from '../../masking/mask-secrets.ts';
import type { LogFile } from '../../platform/files/log-file.ts';
import type { ServerProgram } from '../../platform/processes/server-process.ts';
import type { StdioPlan } from '../../secrets/launch-plan.ts';

export function programOf(
  { server, program, args, env, cwd }: StdioPlan,
  log: Pick<LogFile, 'redact'>,
): ServerProgram {
  const words = args.map((arg) => arg.reveal());
  return {
    server,
    program,
    args: words,
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value.reveal()])),
    cwd,
    command: () => log.redact([program, ...maskArgs(words)].join(' ')),
  };
}
