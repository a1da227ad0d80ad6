/** Makes the launch plan for a remote server: where it is, and which headers and login it gets. */

import { isObject } from '../../kernel/json.ts';
import { parseTemplate } from '../../dialects/parse-template.ts';
import { checkUrlTemplate } from '../../dialects/template.ts';
import type { OAuthSettings, RemoteLaunch } from '../../kernel/servers.ts';
import { SecretValue } from '../../masking/redactor.ts';
import type { TrustedServer } from '../../trust/trust-gate.ts';
import type { FilledOAuth, LoginPlan, RemotePlan } from '../launch-plan.ts';
import { fillMap, fillReferences, unresolved, type PlanParts } from './planning.ts';
import { commandValue } from '../secret-sources.ts';

export async function planRemote(
  server: TrustedServer,
  launch: RemoteLaunch,
  parts: PlanParts,
): Promise<RemotePlan> {
  const url = placeOf(server, launch, parts);
  const given = {
    ...fillMap(launch.headers, 'headers', parts),
    ...fillReferences(server, launch.headersFrom, parts),
    ...(await helperHeaders(server, launch, parts)),
  };
  const headers = { ...given, ...authorizationOf(url, given, parts) };
  for (const [name, value] of Object.entries(headers)) checkHeader(server, name, value);
  const login = planLogin(server, launch, parts);
  return {
    kind: launch.kind,
    server: server.name,
    url: new SecretValue(url.text),
    origin: url.origin,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, new SecretValue(value)]),
    ),
    ...(launch.tls === undefined ? {} : { tls: launch.tls }),
    ...(login === undefined ? {} : { login }),
  };
}

/** Returns undefined when the entry disables the login and names none either. */
function planLogin(server: TrustedServer, { oauth }: RemoteLaunch, parts: PlanParts): LoginPlan | undefined {
  const { auth, name, guarded, origin } = server;
  if (oauth === false && auth === undefined) return undefined;
  const sharing = JSON.stringify([origin.file, name]);
  return {
    credentialId: auth?.credentialId ?? `mcp:${name}`,
    isNamed: auth !== undefined,
    oauth: oauth === undefined || oauth === false ? {} : fillOAuth(oauth, parts),
    ...(guarded ? { sharing } : {}),
  };
}

function fillOAuth(oauth: OAuthSettings, { fill, learn }: PlanParts): FilledOAuth {
  const filled = Object.entries(oauth).map(([key, value]: [string, unknown]) => {
    if (typeof value !== 'string') return [key, value];
    const text = fill(value, 'oauth', `oauth.${key}`);
    if (key !== 'clientSecret' && key !== 'privateKey') return [key, text];
    learn(text);
    return [key, new SecretValue(text)];
  });
  return Object.fromEntries(filled) as FilledOAuth; // the same keys, with the two secrets wrapped
}

interface Place {
  readonly text: string;
  readonly origin: string;
  /** User name and password, if the URL has them. */
  readonly user?: string;
}

function placeOf(server: TrustedServer, { url: template }: RemoteLaunch, { fill }: PlanParts): Place {
  const offending = checkUrlTemplate(parseTemplate(template, server.dialect, 'url'));
  if (offending !== undefined)
    throw unresolved(
      server,
      'url',
      `${offending} is in the scheme, host or port of the URL`,
      'Write the host itself; placeholders may be in the path and the query.',
    );
  const text = fill(template, 'url', 'url');
  if (!URL.canParse(text)) throw unresolved(server, 'url', 'the URL is not valid');
  const url = new URL(text);
  const { protocol, host, username, password } = url;
  const origin = `${protocol}//${host}`;
  if (username === '' && password === '') return { text, origin };
  Object.assign(url, { username: '', password: '' });
  return { text: url.href, origin, user: `${decode(username)}:${decode(password)}` };
}

/** Credentials in a URL are not part of the address: they are sent as a header, as browsers and curl do. */
function authorizationOf(
  { user }: Place,
  given: Readonly<Record<string, string>>,
  { learn }: PlanParts,
): Readonly<Record<string, string>> {
  const isSet = Object.keys(given).some((name) => name.toLowerCase() === 'authorization');
  if (user === undefined || isSet) return {};
  const encoded = Buffer.from(user).toString('base64');
  learn(encoded);
  return { Authorization: `Basic ${encoded}` };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const headerName = /^[\w!#$%&'*+.^`|~-]+$/;
const controls = /(?!\t)\p{Cc}/u;

/** The error does not contain the value, which may be the secret itself. */
function checkHeader(server: TrustedServer, name: string, value: string): void {
  if (!headerName.test(name)) throw unresolved(server, `headers.${name}`, 'no header can have that name');
  if (controls.test(value))
    throw unresolved(server, `headers.${name}`, 'its value has a line break or another control character');
}

/** Runs the headers helper of Claude and Codex: a command that prints a JSON object of headers. */
async function helperHeaders(
  server: TrustedServer,
  { headersHelper }: RemoteLaunch,
  parts: PlanParts,
): Promise<Readonly<Record<string, string>>> {
  if (headersHelper === undefined) return {};
  const text = await commandValue(server, { kind: 'shell', line: headersHelper }, 'headersHelper', parts);
  const headers = parseHeaders(text);
  if (headers === undefined)
    throw unresolved(server, 'headersHelper', 'the command did not print a JSON object of strings');
  for (const value of Object.values(headers)) parts.learn(value);
  return headers;
}

function parseHeaders(text: string): Readonly<Record<string, string>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return undefined;
    const entries = Object.entries(value).flatMap(([name, header]) =>
      typeof header === 'string' ? [[name, header] as const] : [],
    );
    return entries.length === Object.keys(value).length ? Object.fromEntries(entries) : undefined;
  } catch {
    return undefined;
  }
}
