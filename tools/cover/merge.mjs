/** Lines and branches of each source that ran in the test processes or in the programs they started. */

/** `own`: vitest's report. `children`: a report for each built file. Only what `own` knows counts. */
export function mergeCoverage(own, children) {
  const files = new Map(Object.entries(own).map(([file, coverage]) => [file, hitsOf(coverage)]));
  for (const report of children) {
    for (const [file, coverage] of Object.entries(report)) {
      const known = files.get(file);
      if (known !== undefined) addHits(known, hitsOf(coverage));
    }
  }
  return files;
}

/** A line is run when a statement that begins there is. */
function hitsOf({ statementMap, s, branchMap, b }) {
  const lines = new Map();
  for (const [id, { start }] of Object.entries(statementMap))
    lines.set(start.line, (lines.get(start.line) ?? false) || s[id] > 0);
  const branches = new Map();
  const seen = new Map();
  for (const [id, { type, loc }] of Object.entries(branchMap)) {
    // The columns depend on who compiled it; the order within a line does not.
    const place = `${loc.start.line} ${type}`;
    const nth = seen.get(place) ?? 0;
    seen.set(place, nth + 1);
    for (const [arm, count] of b[id].entries()) branches.set(`${place} ${nth} ${arm}`, count > 0);
  }
  return { lines, branches };
}

function addHits(known, more) {
  for (const kind of ['lines', 'branches']) {
    for (const [place, isHit] of more[kind]) {
      if (isHit && known[kind].has(place)) known[kind].set(place, true);
    }
  }
}
