/** What a fuzz run says at its end, at the terminal and in docs/fuzz.md. */

import { runFacts } from '../../bench/measure.ts';
import type { AttackResult } from './attack.ts';
import { limits } from './check-case.ts';
import type { Failure } from './rounds.ts';

export interface FuzzRun {
  readonly seed: string;
  readonly minutes: number;
  readonly results: readonly AttackResult[];
}

export function renderSummary({ seed, results }: FuzzRun): string {
  const rows = results.map(
    ({ target, cases, largestStall, peakMiB, failure }) =>
      `  ${target.padEnd(12)} ${String(cases).padStart(9)} cases   stall ${largestStall.toFixed(1).padStart(5)} of ${limits.stallRatio}   ${peakMiB.toFixed(0).padStart(4)} of ${limits.memoryMiB} MiB   ${failure === undefined ? 'holds' : `FAILED: ${failure.kind}`}`,
  );
  const failures = results.flatMap(({ failure }) => (failure === undefined ? [] : [failure]));
  return [`seed ${seed}`, ...rows, ...failures.map(renderFailure)].join('\n');
}

function renderFailure({ target, seed, round, path, kind, message, counterexample }: Failure): string {
  const place = path === '' ? String(round) : `${round}/${path}`;
  return [
    '',
    `${target}: ${kind}: ${message}`,
    ...(counterexample === '' ? [] : [counterexample]),
    `again: npm run fuzz -- --seed ${seed} --only ${target} --replay ${place}`,
    ...(path === '' ? [] : [`with the cases before it: --replay ${round}`]),
  ].join('\n');
}

function findings({ results }: FuzzRun): string {
  const failures = results.flatMap(({ failure }) => (failure === undefined ? [] : [failure]));
  if (failures.length === 0) return 'none';
  return failures
    .map(
      ({ target, kind, round, path }) =>
        `${target}: ${kind} (\`--replay ${path === '' ? round : `${round}/${path}`}\`)`,
    )
    .join('; ');
}

export function renderPage(run: FuzzRun): string {
  const { at, node, machine } = runFacts();
  const total = run.results.reduce((sum, { cases }) => sum + cases, 0);
  return `# The last long fuzz run

Written by \`npm run fuzz -- --minutes ${run.minutes} --record\`. Random inputs, made from the grammar of each format and then
damaged, go to everything that reads what others write. A run fails when an error is not handled, when a promise rejects with
anything but a \`HoltError\`, when the event loop stalls for more than ${limits.stallRatio} × \`JSON.parse\` of the same input
(${limits.stallRatio * limits.shortestParseMs} ms for inputs that parse in less than ${limits.shortestParseMs} ms), when a case does not end, or when the process that runs holt
takes more than ${limits.memoryMiB} MiB.

- Date: ${at.slice(0, 10)}
- Duration: ${run.minutes} minutes, two targets at a time
- Seed: \`${run.seed}\`
- Machine: Node ${node.slice(1)}, ${machine.cores} cores (${machine.model.trim()}), load ${machine.load[0]} at the end
- Cases: ${total.toLocaleString('en')}
- Findings in this run: ${findings(run)}

| target | cases | largest stall, of ${limits.stallRatio} | peak memory in MiB, of ${limits.memoryMiB} |
|---|---:|---:|---:|
${run.results
  .map(
    ({ target, cases, largestStall, peakMiB }) =>
      `| ${target} | ${cases.toLocaleString('en')} | ${largestStall.toFixed(1)} | ${peakMiB.toFixed(0)} |`,
  )
  .join('\n')}

The stall is the longest time for which the event loop did not turn, as a multiple of the time that \`JSON.parse\` takes for the
same input, or of ${limits.shortestParseMs} ms where that is longer; it is the shortest of five tries where the first is over half of the
limit. Reading a file of the user's own of over 20,000 characters is not measured: nobody else writes it. Peak memory includes
Node, the compiler of the tests and the run itself; Node has a heap of 320 MiB, so that it does not collect garbage late.
`;
}
