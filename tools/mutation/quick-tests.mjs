/**
 * Stands in for vitest and fast-check while Stryker works: collects tests and runs them at once, in the process that is there.
 * Whether a change is noticed must be no matter of luck: properties draw the same samples each time, and few.
 */

import { chai, JestAsymmetricMatchers, JestChaiExpect, JestExtend } from '@vitest/expect';
import { spyOn } from '@vitest/spy';

import * as fastCheck from '../../node_modules/fast-check/lib/fast-check.js';

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

const common = { expect: chai.expect, vi: { spyOn } };
const mostSamples = 100;
const seed = 20_261_116;
/** What measures how time grows says nothing about code that counts its own steps. */
const measuring = /in the time of one breath|a hundred thousand times/;

/** The two modules as the tests import them, and the tests that have been declared through them. */
export function createTestModules() {
  const tests = [];
  const names = [];
  const declare = (name, run) => {
    const full = [...names, name].join(' ');
    if (!measuring.test(full)) tests.push({ id: `${tests.length} ${full}`, name: full, run });
  };
  const test = (name, ...rest) =>
    declare(
      name,
      rest.find((part) => typeof part === 'function'),
    );
  test.each =
    (rows) =>
    (name, ...rest) => {
      const run = rest.find((part) => typeof part === 'function');
      for (const row of rows) declare(name, () => (Array.isArray(row) ? run(...row) : run(row)));
    };
  const describe = (name, body) => {
    names.push(name);
    body();
    names.pop();
  };
  return { tests, modules: { vitest: { ...common, test, describe }, 'fast-check': fewSamples() } };
}

function fewSamples() {
  const assert = (property, options = {}) =>
    fastCheck.assert(property, {
      ...options,
      seed,
      numRuns: Math.min(options.numRuns ?? mostSamples, mostSamples),
    });
  const all = { ...fastCheck, assert };
  // As bundlers expect it of a module that has named exports and a default one.
  return { ...all, default: all, __esModule: true };
}
