/**
 * `docker run` and `podman run` start something that is no child of theirs. A label makes it findable, `--init` lets it
 * hear signals and `--rm` leaves nothing of it behind.
 */

export const containerLabel = 'holt.run';

/** Options before the command that take the next word as their value. */
const valued = new Set(
  [
    '-c --context -H --host --config -l --log-level --tlscacert --tlscert --tlskey',
    '--connection --url --identity --root --runroot --storage-driver --storage-opt --tmpdir --cgroup-manager --conmon',
    '--events-backend --hooks-dir --module --network-config-dir --network-cmd-path --out --runtime --runtime-flag --ssh',
    '--volumepath --imagestore --cdi-spec-dir',
  ].flatMap((line) => line.split(' ')),
);

/** Undefined when this starts no container. */
export function labelContainer(
  program: string,
  args: readonly string[],
  run: string,
): readonly string[] | undefined {
  if (!/^(?:docker|podman)(?:\.exe)?$/i.test(program.split(/[\\/]/).at(-1) ?? '')) return undefined;
  const at = runWord(args);
  if (at === undefined) return undefined;
  const rest = args.slice(at + 1);
  // A container that is to start again by itself cannot be removed at its end: both together are refused.
  const restarts = rest.some((word) => /^--restart(?:=|$)/.test(word) && word !== '--restart=no');
  const added = [...(restarts ? [] : ['--rm']), '--init', '--label', `${containerLabel}=${run}`];
  return [...args.slice(0, at + 1), ...added, ...rest];
}

/** Where the word `run` stands, be it after `container`. */
function runWord(args: readonly string[]): number | undefined {
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (word.startsWith('-')) {
      if (valued.has(word)) at += 1;
    } else if (word !== 'container') return word === 'run' ? at : undefined;
  }
  return undefined;
}
