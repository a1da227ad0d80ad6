/** Which of the suite's client scenarios are run, and why the others are not run yet. */

import { readFileSync } from 'node:fs';
import path from 'node:path';

import { parse } from 'yaml';

export const revisions = ['2025-11-25', '2026-07-28'];

/** What is run, with what it is about. Everything here must pass: there is no list of expected failures. */
export const covered = {
  initialize: 'connection: the handshake and who we say we are',
  tools_call: 'connection: list, then call',
  'sse-retry':
    'retry: a closed stream is opened again after the time the server named, from the last event on',
  'request-metadata': 'metadata: version and capabilities in every request; a refused version is replaced',
  'http-standard-headers': 'headers: method and name are mirrored',
  'http-custom-headers': 'headers: arguments a tool marks are mirrored, encoded where they must be',
  'http-invalid-tool-headers': 'headers: tools with impossible marks are left out',
  'json-schema-ref-no-deref': 'schemas: a reference into the network is not followed',
  'json-schema-2020-12-preservation': 'schemas: every keyword survives',
  'sep-2322-client-request-state': 'multi-round requests: state is echoed exactly, and only where it belongs',
  'elicitation-sep1034-client-defaults': 'multi-round requests: a form is answered, its defaults filled in',
};

/** Why a scenario is not run yet; the first pattern that fits counts. */
const later = [[/^auth\//, 'needs signing in']];

/** Every client scenario the suite has for a revision: `run` or the reason why not. A scenario nobody placed is an error. */
export function planFor(revision, suiteFolder) {
  const file = path.join(suiteFolder, 'requirements', `${revision}.yaml`);
  const { client, not_scored: unscored } = parse(readFileSync(file, 'utf8'));
  const optional = unscored.filter(({ leg }) => leg === 'client').map(({ scenario }) => scenario);
  return [...client, ...optional].map((scenario) => {
    const why = later.find(([pattern]) => pattern.test(scenario))?.[1];
    if (covered[scenario] === undefined && why === undefined)
      throw new Error(`${scenario} is neither run nor put off`);
    return { scenario, revision, scored: client.includes(scenario), about: covered[scenario], later: why };
  });
}
