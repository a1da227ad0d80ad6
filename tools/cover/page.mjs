/** Turns coverage into the record, and the record into the page. */

const fewest = 15;

/** `files`: source paths from the root, with their hits. `pure`: name and files of each pure room. */
export function recordOf(files, pure, facts) {
  const rows = [...files].map(([file, hits]) => ({ file, ...sharesOf([hits]) }));
  const byRoom = groupBy([...files.keys()], roomOf);
  const hitsOf = (names) => names.map((name) => files.get(name));
  return {
    ...facts,
    total: sharesOf([...files.values()]),
    rooms: [...byRoom]
      .map(([room, names]) => ({ room, files: names.length, ...sharesOf(hitsOf(names)) }))
      .toSorted((one, other) => byCode(one.room, other.room)),
    pure: pureRoomsOf(files, pure),
    least: rows
      .filter(({ lines }) => lines.all > 0)
      .toSorted((one, other) => one.lines.share - other.lines.share || byCode(one.file, other.file))
      .slice(0, fewest),
  };
}

/** Of each pure room what was run, and the places that were not. A file that nobody loaded counts as a place. */
export function pureRoomsOf(files, pure) {
  return pure.map(({ name, files: names }) => ({
    name,
    ...sharesOf(names.flatMap((file) => files.get(file) ?? [])),
    notRun: names.flatMap((file) =>
      files.has(file) ? notRun(file, files.get(file)) : [`${file} not loaded`],
    ),
  }));
}

function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

function roomOf(file) {
  const [, room, inner] = file.split('/');
  return inner === undefined ? '(top)' : room;
}

function sharesOf(all) {
  return {
    lines: share(all.map(({ lines }) => lines)),
    branches: share(all.map(({ branches }) => branches)),
  };
}

/** Rounded down: 89.99 is not 90. */
function share(maps) {
  const hits = maps.flatMap((map) => [...map.values()]);
  const run = hits.filter(Boolean).length;
  return {
    all: hits.length,
    run,
    share: hits.length === 0 ? 100 : Math.floor((run / hits.length) * 1000) / 10,
  };
}

function notRun(file, { branches }) {
  return [...branches]
    .filter(([, isRun]) => !isRun)
    .map(([place]) => {
      const [line, type, , arm] = place.split(' ');
      return `${file}:${line} ${type}, arm ${Number(arm) + 1}`;
    });
}

function byCode(one, other) {
  return one < other ? -1 : Number(one > other);
}

function shares({ lines, branches }) {
  return [percent(lines), percent(branches)];
}

export function pureTable(pure) {
  const places = pure.flatMap((room) => room.notRun.map((place) => `- \`${place}\``));
  const rows = pure.map((room) => [room.name, ...shares(room), room.notRun.length]);
  return [
    table(['room', 'lines', 'branches', 'not run'], rows),
    '',
    ...places,
    ...(places.length > 0 ? [''] : []),
  ];
}

export function pageOf({ node, tests, programs, target, total, rooms, pure, least }) {
  return [
    '# Coverage',
    '',
    'Written by `npm run coverage`, not by hand.',
    '',
    `All ${tests.total} tests (${tests.passed} passed while counting) on Node ${node.slice(1)}, with V8's own counts: of the processes that run the tests, and of ${programs} programs that the`,
    'tests started, led back to the sources by source maps. A program that is killed tells nothing, and so do the small ones that are',
    'compiled while they run: the real share is no smaller than this. A line counts as run when a statement that begins there was.',
    '',
    `**${percent(total.lines)} of ${total.lines.all} lines** (target: ${target} %) and ${percent(total.branches)} of ${total.branches.all} branches.`,
    '',
    '## Pure rooms',
    '',
    'Every branch of these is to be run; those that were not stand below the table. `npm run coverage -- --pure` looks at',
    'these alone, by their own unit tests.',
    '',
    ...pureTable(pure),
    '## By room',
    '',
    table(
      ['room', 'files', 'lines', 'branches'],
      rooms.map((room) => [room.room, room.files, ...shares(room)]),
    ),
    '',
    `## The ${fewest} files with the smallest share of lines`,
    '',
    table(
      ['file', 'lines', 'branches'],
      least.map((file) => [`\`${file.file}\``, ...shares(file)]),
    ),
    '',
  ].join('\n');
}

function percent({ share: value }) {
  return `${value.toFixed(1)} %`;
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)].join(
    '\n',
  );
}
