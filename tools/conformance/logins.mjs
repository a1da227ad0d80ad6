/** The logins of the suite, as a user of holt's library performs them: configuration, the visit to the provider, and what must be refused. */

import { once } from 'node:events';
import { createServer } from 'node:net';

/** What stands under `oauth` for a scenario, from what the suite hands out. */
export async function oauthFor(scenario, context) {
  const { client_id: clientId, client_secret: clientSecret, private_key_pem: privateKey } = context;
  // The usual port may be somebody else's on this machine; a client that was registered by hand insists on its own.
  const callbackPort = await freePort();
  switch (scenario) {
    case 'auth/basic-cimd':
      return { clientMetadataUrl: 'https://conformance-test.local/client-metadata.json', callbackPort };
    case 'auth/client-credentials-basic':
      return { grant: 'client_credentials', clientId, clientSecret };
    case 'auth/client-credentials-jwt':
      return { grant: 'client_credentials', clientId, privateKey };
    default:
      return clientId === undefined
        ? undefined
        : { clientId, ...(clientSecret && { clientSecret }), callbackPort };
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Goes where a browser would go. The suite's providers ask nobody anything and send straight back. */
export async function openUrl(url) {
  const { headers } = await fetch(url, { redirect: 'manual' });
  const back = headers.get('location');
  if (back !== null) await fetch(back);
  return true;
}

/** Logins that have to fail: a client that gets in is at fault. */
const refused = new Set(['auth/resource-mismatch', 'auth/metadata-issuer-mismatch']);

/** Answers that do not name the issuer that was asked: they must be ignored, and the login goes on waiting. */
const ignored = new Set([
  'auth/iss-supported-missing',
  'auth/iss-wrong-issuer',
  'auth/iss-unexpected',
  'auth/iss-normalized',
]);

export async function doLogin(host, scenario) {
  if (refused.has(scenario)) return mustFail(() => login(host), 'auth-failed');
  if (ignored.has(scenario)) return mustIgnore(host);
  await login(host);
  await (await host.clients()).suite.listTools();
  if (scenario === 'auth/scope-retry-limit') return mustFail(() => callAsAllowed(host), 'auth-');
  return callAsAllowed(host);
}

async function login(host, signal) {
  let state = await host.connect('suite');
  // Again when the server has moved to another provider meanwhile.
  for (let attempt = 0; attempt < 3 && state.status === 'needs_auth'; attempt += 1)
    state = await host.authenticate('suite', { signal });
  if (state.status !== 'connected') throw new Error(`not connected: ${JSON.stringify(state)}`);
}

/** Calls, and logs in again for as long as holt says that this is what is missing. */
async function callAsAllowed(host) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await (await host.clients()).suite.callTool({ name: 'test-tool', arguments: {} });
    } catch (error) {
      // Far above what holt itself puts up with: it must be holt that ends this.
      if (attempt === 9 || error.code !== 'auth-required') throw error;
      await host.authenticate('suite');
    }
  }
}

/** No genuine answer follows in these scenarios, so the login is cancelled once the warning has come. */
async function mustIgnore(host) {
  const wasIgnored = new Error('the answer was ignored');
  const stop = new AbortController();
  host.on('mcp.warning', ({ code }) => code === 'login-callback-ignored' && stop.abort(wasIgnored));
  try {
    await login(host, stop.signal);
  } catch (error) {
    if (error === wasIgnored) return;
    throw error;
  }
  throw new Error('this answer had to be ignored');
}

async function mustFail(work, code) {
  try {
    await work();
  } catch (error) {
    if (String(error.code).startsWith(code)) return;
    throw error;
  }
  throw new Error('this login had to be refused');
}
