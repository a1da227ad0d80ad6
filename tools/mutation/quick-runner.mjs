/**
 * A test runner for Stryker that starts nothing: the room's tests and sources are bundled once, and evaluated anew in the
 * same process for each change. A thousand changes take minutes instead of hours.
 */

import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import vm from 'node:vm';

import { INSTRUMENTER_CONSTANTS } from '@stryker-mutator/api/core';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import {
  determineHitLimitReached,
  DryRunStatus,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { build } from 'esbuild';

import { createTestModules } from './quick-tests.mjs';
import { rooms, testsOf } from './rooms.mjs';

class QuickTestRunner {
  /** Where the changed code looks which change is in force, and counts. */
  #shared = (globalThis[INSTRUMENTER_CONSTANTS.NAMESPACE] ??= {});
  #evaluate;

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    // Code that counts its own steps is slow, and that is no mistake: the clock stands still.
    performance.now = () => 0;
    const script = new vm.Script(`(function (require, module, exports) {${await bundleTests()}\n})`);
    const outside = createRequire(import.meta.url);
    this.#evaluate = (modules) => {
      const inside = (id) => modules[id] ?? outside(id);
      const module = { exports: {} };
      script.runInThisContext()(inside, module, module.exports);
    };
  }

  async dryRun() {
    const shared = this.#shared;
    Object.assign(shared, { activeMutant: undefined, mutantCoverage: undefined, hitLimit: undefined });
    const result = await this.#run({ onTest: (id) => (shared.currentTestId = id) });
    return { ...result, mutantCoverage: shared.mutantCoverage };
  }

  async mutantRun({ activeMutant, mutantActivation, testFilter, hitLimit, disableBail }) {
    const shared = this.#shared;
    const isStatic = mutantActivation === 'static';
    Object.assign(shared, { hitLimit, hitCount: 0, currentTestId: undefined });
    shared.activeMutant = isStatic ? activeMutant.id : undefined;
    const onLoaded = () => (shared.activeMutant = activeMutant.id);
    const wanted = testFilter === undefined ? undefined : new Set(testFilter);
    const result = await this.#run({ onLoaded, wanted, bail: !disableBail });
    return toMutantRunResult(determineHitLimitReached(shared.hitCount, hitLimit) ?? result);
  }

  async #run({ onLoaded, onTest, wanted, bail = false }) {
    const { tests, modules } = createTestModules();
    try {
      this.#evaluate(modules);
    } catch (error) {
      // A change by which not even the file can be loaded is noticed by whichever test comes first.
      return { status: DryRunStatus.Complete, tests: [outcomeOf({ id: 'load', name: 'loading' }, error)] };
    }
    onLoaded?.();
    const results = [];
    for (const test of tests) {
      if (wanted !== undefined && !wanted.has(test.id)) continue;
      onTest?.(test.id);
      const result = await runOne(test);
      results.push(result);
      if (bail && result.status === TestStatus.Failed) break;
    }
    onTest?.(undefined);
    return { status: DryRunStatus.Complete, tests: results };
  }
}

async function runOne(test) {
  const start = process.uptime();
  try {
    await test.run();
    const { id, name } = test;
    return { id, name, status: TestStatus.Success, timeSpentMs: since(start) };
  } catch (error) {
    return { ...outcomeOf(test, error), timeSpentMs: since(start) };
  }
}

function outcomeOf({ id, name }, error) {
  const failureMessage = error instanceof Error ? error.message : String(error);
  return { id, name, status: TestStatus.Failed, failureMessage, timeSpentMs: 0 };
}

function since(start) {
  return (process.uptime() - start) * 1000;
}

/** Stryker runs this in the copy that it made: the current folder is the root of the changed tree. */
async function bundleTests() {
  const root = process.cwd();
  const room = rooms.find(({ name }) => name === process.env.HOLT_MUTATION_ROOM);
  const sources = readdirSync(path.join(root, 'src'), { recursive: true }).map(
    (file) => `src/${file.replaceAll('\\', '/')}`,
  );
  const contents = testsOf(room, sources)
    .map((file) => `import ${JSON.stringify(`./${file}`)};`)
    .join('\n');
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    write: false,
    // The package says that its files do nothing when they are loaded; tests do.
    ignoreAnnotations: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20.19',
    external: ['vitest', 'fast-check', '@napi-rs/keyring'],
    logLevel: 'error',
    define: { 'import.meta.url': '"file:///"' },
  });
  return outputFiles[0].text;
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'quick', QuickTestRunner)];
