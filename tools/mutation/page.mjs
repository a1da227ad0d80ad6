/** From Stryker's report to the record, and from the record to the page. */

/** What Stryker counts as noticed: a test fails, or the change makes it run on and on. */
const noticed = ['Killed', 'Timeout'];
const unnoticed = ['Survived', 'NoCoverage'];

export function resultOf({ name, about }, report) {
  const files = Object.entries(report.files).map(([file, { mutants }]) => ({ file, ...countsOf(mutants) }));
  const all = countsOf(Object.values(report.files).flatMap(({ mutants }) => mutants));
  return { name, about, ...all, files };
}

function countsOf(mutants) {
  const count = (statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
  const [killed, survived] = [count(noticed), count(unnoticed)];
  const mutated = killed + survived;
  return { mutants: mutated, killed, survived, score: mutated === 0 ? 100 : percent(killed / mutated) };
}

/** Rounded down: 79.99 is not 80. */
function percent(share) {
  return Math.floor(share * 1000) / 10;
}

export function survivorLines(report) {
  return Object.entries(report.files).flatMap(([file, { source, mutants }]) => {
    const lines = source.split('\n');
    return mutants
      .filter(({ status }) => unnoticed.includes(status))
      .map(({ location: { start, end }, replacement, mutatorName, status }) => {
        const text =
          start.line === end.line
            ? lines[start.line - 1].slice(start.column - 1, end.column - 1)
            : `${lines[start.line - 1].slice(start.column - 1)}…`;
        const mark = status === 'NoCoverage' ? ' (not reached)' : '';
        return `${file}:${start.line}:${start.column} ${mutatorName}${mark}: ${text}  =>  ${replacement.replaceAll('\n', ' ')}`;
      });
  });
}

export function pageOf({ stryker, node, target, rooms }) {
  return [
    '# Mutation check',
    '',
    'Written by `npm run mutation`, not by hand.',
    '',
    `[Stryker](https://stryker-mutator.io) ${stryker} changes the pure rooms in small ways (a condition turned round, a text emptied, a call left out), one at a`,
    `time, and runs the room's own unit tests, and no others, on Node ${node.slice(1)}. The score is the share of changes that a test notices; the target`,
    `is ${target} % in each room. Properties draw 100 samples here, always the same ones, and tests that measure how time grows are left out: in \`npm test\``,
    'more is noticed. Among what nobody notices are changes that make no difference.',
    '',
    row(['room', 'what it decides', 'changes', 'noticed', 'score']),
    row(['---', '---', '---:', '---:', '---:']),
    ...rooms.map(({ name, about, mutants, killed, score }) =>
      row([name, about, mutants, killed, `${score.toFixed(1)} %`]),
    ),
    '',
    '## By file',
    '',
    row(['room', 'file', 'changes', 'noticed', 'score']),
    row(['---', '---', '---:', '---:', '---:']),
    ...rooms.flatMap(({ name, files }) =>
      files
        .filter(({ mutants }) => mutants > 0)
        .map(({ file, mutants, killed, score }) =>
          row([name, `\`${file}\``, mutants, killed, `${score.toFixed(1)} %`]),
        ),
    ),
    '',
  ].join('\n');
}

function row(cells) {
  return `| ${cells.join(' | ')} |`;
}
