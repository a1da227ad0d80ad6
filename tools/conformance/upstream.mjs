/**
 * `node tools/conformance/upstream.mjs`: checks the fixture that the gateway is tested with. It must pass every server scenario that a
 * revision requires by itself, so that a failure through the gateway is the gateway's.
 */

import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { installSideFolder } from '../install.mjs';
import { revisions, runServerSuite, startUpstream } from './server-suite.mjs';

installSideFolder(path.dirname(fileURLToPath(import.meta.url)));
const upstream = await startUpstream();
try {
  for (const revision of revisions) report(revision, await runPatiently(revision));
} finally {
  await upstream.stop();
}

/** Some scenarios listen for half a second, on a machine that others use as well: one that fails three times fails. */
async function runPatiently(revision) {
  for (let tries = 1; ; tries += 1) {
    const rows = await runServerSuite(upstream.url, revision);
    if (tries === 3 || rows.every(({ isRequired, passes }) => passes || !isRequired)) return rows;
    console.log(`${revision}: retried`);
  }
}

function report(revision, rows) {
  const required = rows.filter(({ isRequired }) => isRequired);
  const failing = required.filter(({ passes }) => !passes);
  for (const { scenario, passed, failed } of failing) {
    console.log(`FAIL  ${revision}  ${scenario}  ${passed}/${passed + failed}`);
  }
  console.log(
    `${revision}: ${required.length - failing.length} of ${required.length} required scenarios pass`,
  );
  if (failing.length > 0) process.exitCode = 1;
}
