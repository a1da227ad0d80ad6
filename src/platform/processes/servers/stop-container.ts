/** Stops the containers of one run and no others. They remove themselves. */

import type { RunCommand } from '../run-command.ts';
import { containerLabel } from './container-args.ts';

export interface ContainerTool {
  /** The `docker` or `podman` that started the containers. */
  readonly program: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Resolves to the ids of the containers that were still running. */
export async function stopContainers(
  run: string,
  tool: ContainerTool,
  runCommand: RunCommand,
): Promise<readonly string[]> {
  const ask = async (args: readonly string[]): Promise<string> => {
    const limits = { cwd: tool.cwd, env: tool.env, timeoutMs: 5000, maxBytes: 1 << 16 };
    const outcome = await runCommand({ kind: 'program', program: tool.program, args }, limits);
    return outcome.kind === 'printed' ? outcome.text : '';
  };
  const listed = await ask(['ps', '--quiet', '--no-trunc', '--filter', `label=${containerLabel}=${run}`]);
  const ids = listed.split(/\s+/).filter((word) => /^[0-9a-f]{12,64}$/.test(word));
  if (ids.length > 0) await ask(['kill', ...ids]);
  return ids;
}
