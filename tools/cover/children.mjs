/** Coverage of spawned programs: V8's counts of all of them, summed for each built file and mapped to the sources. */

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { convert } from 'ast-v8-to-istanbul';
import { parseAst } from 'vite';

/** `dist`: where the build lies that the programs run. What else they load is not looked at. */
export function createChildCounts(dist) {
  const prefix = pathToFileURL(`${dist}${path.sep}`).href;
  /** For each built file how often each character was run. */
  const counts = new Map();
  return {
    /** Says whether it was one of ours. */
    add: (dump) => {
      let isOurs = false;
      for (const { url, functions } of dump.result) {
        if (!url.startsWith(prefix) || !existsSync(mapOf(url))) continue;
        isOurs = true;
        const length = Math.max(
          ...functions.flatMap(({ ranges }) => ranges.map(({ endOffset }) => endOffset)),
        );
        const known = counts.get(url);
        if (known === undefined) counts.set(url, flatten(functions, length));
        else addTo(known, flatten(functions, known.length));
      }
      return isOurs;
    },
    /** Coverage by source file, in the form that vitest writes. */
    bySource: async () => {
      const all = [];
      for (const [url, hits] of counts) all.push(await sourcesOf(url, hits));
      return all;
    },
  };
}

function mapOf(url) {
  return `${fileURLToPath(url)}.map`;
}

/** The innermost range that holds a character says how often it was run. */
function flatten(functions, length) {
  const hits = new Float64Array(length);
  const ranges = functions.flatMap(({ ranges: own }) => own);
  const outerFirst = ranges.toSorted((one, other) => sizeOf(other) - sizeOf(one));
  for (const { startOffset, endOffset, count } of outerFirst) hits.fill(count, startOffset, endOffset);
  return hits;
}

function sizeOf({ startOffset, endOffset }) {
  return endOffset - startOffset;
}

function addTo(sum, hits) {
  for (let index = 0; index < sum.length; index += 1) sum[index] += hits[index];
}

async function sourcesOf(url, hits) {
  const code = readFileSync(fileURLToPath(url), 'utf8');
  const sourceMap = JSON.parse(readFileSync(mapOf(url), 'utf8'));
  const coverage = {
    scriptId: '0',
    url,
    functions: [{ functionName: '', isBlockCoverage: true, ranges: rangesOf(hits) }],
  };
  return convert({ code, sourceMap, ast: parseAst(code), coverage });
}

function rangesOf(hits) {
  const ranges = [];
  let startOffset = 0;
  for (let index = 1; index <= hits.length; index += 1) {
    if (index < hits.length && hits[index] === hits[startOffset]) continue;
    ranges.push({ startOffset, endOffset: index, count: hits[startOffset] });
    startOffset = index;
  }
  return ranges;
}
