/** The client scenarios of the suite that run, and what each one covers. */

import { readFileSync } from 'node:fs';
import path from 'node:path';

import { parse } from 'yaml';

export const revisions = ['2025-11-25', '2026-07-28'];

/** What is run, with what it is about. What a revision requires must pass: there is no list of expected failures. */
const covered = {
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
  'auth/metadata-default': 'login: found by the address in the challenge',
  'auth/metadata-var1': 'login: found at the well-known place, the provider by OpenID discovery',
  'auth/metadata-var2': 'login: a provider whose issuer has a path',
  'auth/metadata-var3': 'login: an unusual place, an issuer with a path, OpenID discovery',
  'auth/metadata-issuer-mismatch': 'login: metadata of another issuer is not used',
  'auth/resource-mismatch': 'login: metadata of another resource is not used',
  'auth/basic-cimd': 'login: a client metadata document in place of a registration',
  'auth/pre-registration': 'login: a client that was registered by hand',
  'auth/token-endpoint-auth-basic': 'login: the secret goes in the header',
  'auth/token-endpoint-auth-post': 'login: the secret goes in the body',
  'auth/token-endpoint-auth-none': 'login: a public client',
  'auth/scope-from-www-authenticate': 'scopes: as the challenge says',
  'auth/scope-from-scopes-supported': 'scopes: as the metadata says',
  'auth/scope-omitted-when-undefined': 'scopes: none named, none asked for',
  'auth/scope-step-up': 'scopes: more when a call needs more',
  'auth/scope-retry-limit': 'scopes: an end when it is never enough',
  'auth/offline-access-scope': 'scopes: a login that lasts, where it is offered',
  'auth/offline-access-not-supported': 'scopes: no such wish where it is not',
  'auth/authorization-server-migration': 'login: a server that moves to another provider',
  'auth/iss-supported': 'login: the provider names itself in its answer',
  'auth/iss-not-advertised': 'login: a provider that does not name itself',
  'auth/iss-supported-missing': 'login: an answer without the name that was promised is refused',
  'auth/iss-wrong-issuer': 'login: an answer in the name of another is refused',
  'auth/iss-unexpected': 'login: a wrong name is refused even where none was promised',
  'auth/iss-normalized': 'login: a name that is only nearly the same is refused',
  'auth/client-credentials-basic': 'extension: a program logs in by a secret',
  'auth/client-credentials-jwt': 'extension: a program logs in by a signature',
  'auth/enterprise-managed-authorization': 'extension: a login that an identity provider vouches for',
  'auth/dpop': 'extension: tokens that are bound to a key',
  'auth/dpop-nonce': 'extension: the same, with a number the server gives',
  'auth/wif-jwt-bearer': 'extension: the identity of a workload',
};

/** Every client scenario the suite has for a revision, and whether the revision requires it. One nobody described is an error. */
export function planFor(revision, suiteFolder) {
  const file = path.join(suiteFolder, 'requirements', `${revision}.yaml`);
  const { client, not_scored: unscored } = parse(readFileSync(file, 'utf8'));
  const optional = unscored.filter(({ leg }) => leg === 'client').map(({ scenario }) => scenario);
  return [...client, ...optional].map((scenario) => {
    if (covered[scenario] === undefined) throw new Error(`nobody has said what ${scenario} is about`);
    return { scenario, revision, scored: client.includes(scenario), about: covered[scenario] };
  });
}
