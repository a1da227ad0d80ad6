/**
 * The container started by `docker run` or `podman run` is not a descendant of that process. A label makes it
 * findable, `--init` makes it react to signals and `--rm` removes it after it ends.
 */

import type { RunCommand } from '../run-command.ts';

const containerLabel = 'holt.run';

/** Options before the subcommand whose value is the next argument. */
const valued = new Set(
  [
    '-c --context -H --host --config -l --log-level --tlscacert --tlscert --tlskey',
    '--connection --url --identity --root --runroot --storage-driver --storage-opt --tmpdir --cgroup-manager --conmon',
    '--events-backend --hooks-dir --module --network-config-dir --network-cmd-path --out --runtime --runtime-flag --ssh',
    '--volumepath --imagestore --cdi-spec-dir',
  ].flatMap((line) => line.split(' ')),
);

/** Adds options to a `run` command. Returns undefined when the program does not start a container. */
export function labelContainer(
  program: string,
  args: readonly string[],
  run: string,
): readonly string[] | undefined {
  if (!/^(?:docker|podman)(?:\.exe)?$/i.test(program.split(/[\\/]/).at(-1) ?? '')) return undefined;
  const at = runWord(args);
  if (at === undefined) return undefined;
  const rest = args.slice(at + 1);
  // `--rm` cannot be combined with a restart policy; the container tool would refuse it.
  const restarts = rest.some((word) => /^--restart(?:=|$)/.test(word) && word !== '--restart=no');
  const added = [...(restarts ? [] : ['--rm']), '--init', '--label', `${containerLabel}=${run}`];
  return [...args.slice(0, at + 1), ...added, ...rest];
}

/** Returns the index of the subcommand `run` or `container run`. */
function runWord(args: readonly string[]): number | undefined {
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (word.startsWith('-')) {
      if (valued.has(word)) at += 1;
    } else if (word !== 'container') return word === 'run' ? at : undefined;
  }
  return undefined;
}

interface ContainerTool {
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
