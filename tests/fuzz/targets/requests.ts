/** Raw requests to the local service: every route with any token, query, body and headers, then damaged as bytes. */

import fc from 'fast-check';

import { routes, type Route } from '../../../src/api/contract.ts';
import type { Schema } from '../../../src/api/contract/schema.ts';
import { openServiceFixture, type Scope, type ServiceFixture } from '../../support/service-fixture.ts';
import { arbitraryOf } from '../../support/schema-values.ts';
import { exchange } from '../exchange.ts';
import { damaged, damages, type Damage } from '../inputs/damage.ts';
import { anyRecipe, raw, write, type Recipe } from '../inputs/json-recipe.ts';
import { asTarget, BrokenPromise } from '../target.ts';

const keys = Object.keys(routes);
const names = [
  'echo',
  'mcp__echo__echo',
  'echo.echo',
  'a',
  'no body',
  '__proto__',
  'constructor',
  '',
  '%',
  '..',
  'é',
  '\u202e',
];
/** Added servers are never programs that exist, nor addresses of other machines. */
const words = [
  'name',
  'config',
  'save',
  'agent',
  'scope',
  'user',
  'project',
  'local',
  'holt',
  'command',
  'args',
  'env',
  'url',
  'headers',
  'type',
  'no-such-program',
  'http://127.0.0.1:9/',
  'arguments',
  'timeoutMs',
  'text',
  'server',
  'uri',
  'code',
  'state',
  'iss',
  'flow',
  'browser',
  'device',
  'decision',
  'allow',
  'deny',
  'revoke',
  'digest',
  'question',
  'answer',
  'once',
  'loaderVariables',
  ...names,
];

interface RequestCase {
  readonly route: string;
  readonly method: string | null;
  readonly name: string;
  readonly token: Scope | null;
  readonly query: readonly (readonly [string, string])[];
  readonly body: Recipe | null;
  readonly headers: readonly string[];
  readonly damage: readonly Damage[];
}

/** A body that a route takes, as a recipe, so that its parts can be exchanged as well. */
function bodyOf(route: string): fc.Arbitrary<Recipe> {
  const { body } = (routes as Readonly<Record<string, Route>>)[route] ?? {};
  const any = anyRecipe(words);
  if (body === undefined) return any;
  const right = fitting(body);
  const fields = fc.array(fc.tuple(fc.constantFrom('name', 'config', 'save', 'arguments', 'x'), any), {
    maxLength: 2,
  });
  const changed = fc.tuple(right, fields).map(([value, more]): Recipe => {
    const own = Object.entries(value as object).map(([key, inner]) => [key, raw(inner)] as const);
    return { fields: [...own, ...more] };
  });
  return fc.oneof(
    { weight: 2, arbitrary: right.map(raw) },
    { weight: 3, arbitrary: changed },
    { weight: 2, arbitrary: any },
  );
}

/** Names are those of a few servers: each new one would stay for the rest of the run. */
function fitting(schema: Schema<unknown>): fc.Arbitrary<unknown> {
  return fc.tuple(arbitraryOf(schema.render()), fc.constantFrom(...names)).map(([value, name]) => {
    const fields = value as Readonly<Record<string, unknown>>;
    return {
      ...fields,
      ...('name' in fields ? { name } : {}),
      ...('server' in fields ? { server: name } : {}),
    };
  });
}

const inputs: fc.Arbitrary<RequestCase> = fc.constantFrom(...keys).chain((route) =>
  fc.record({
    route: fc.constant(route),
    method: fc.oneof(
      { weight: 8, arbitrary: fc.constant(null) },
      fc.constantFrom('GET', 'PUT', 'HEAD', 'OPTIONS', 'CONNECT', 'PRI', 'get', ''),
    ),
    name: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...names) },
      fc.string({ unit: 'binary', maxLength: 20 }),
    ),
    token: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom<Scope>('read', 'call', 'admin', 'trust', 'trust') },
      fc.constant(null),
    ),
    query: fc.array(
      fc.tuple(
        fc.constantFrom('lines', 'search', 'server', 'limit', 'wait', 'uri', 'x', ''),
        fc.oneof(
          fc.constantFrom(...names, '5', '-1', '1e3', 'settled'),
          fc.string({ unit: 'binary', maxLength: 8 }),
        ),
      ),
      { maxLength: 3 },
    ),
    body: fc.option(bodyOf(route)),
    headers: fc.array(
      fc.constantFrom(
        'Accept: text/event-stream',
        'Last-Event-ID: 1',
        'Last-Event-ID: x',
        'Origin: http://evil.test',
        'Sec-Fetch-Site: cross-site',
        'Host: evil.test',
        'Content-Type: text/plain',
        'Content-Encoding: gzip',
        'Content-Length: 5',
        'Transfer-Encoding: chunked',
        'Expect: 100-continue',
        'Upgrade: websocket',
        'Connection: Upgrade',
        'Authorization: Bearer x',
        'X: \u0000',
        'X',
      ),
      { maxLength: 2 },
    ),
    damage: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      damages(3, ['\r\n\r\n', ' HTTP/1.1', ...words]),
    ),
  }),
);

function requestText(given: RequestCase, { port, tokens }: ServiceFixture): string {
  const [method = '', pattern = ''] = given.route.split(' ');
  const target = pattern.replace(':name', () => encodedName(given.name));
  const query = given.query.map((pair) => pair.map(encodedName).join('=')).join('&');
  const body = given.body === null ? '' : write(given.body);
  const head = [
    `${given.method ?? method} ${target}${query === '' ? '' : `?${query}`} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Connection: close',
    ...(given.token === null ? [] : [`Authorization: Bearer ${tokens[given.token]}`]),
    ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
    ...given.headers,
  ];
  return damaged(`${head.join('\r\n')}\r\n\r\n${body}`, given.damage);
}

function encodedName(name: string): string {
  return name.isWellFormed() && name !== '..' && name !== '%' ? encodeURIComponent(name) : name;
}

/** Servers that were added stay: after so many cases the service is opened again. */
const casesOfOne = 400;

async function openWorld(onFault: (error: unknown) => void): Promise<ServiceFixture> {
  return await openServiceFixture({
    service: { onFault },
    prepare: (fixture) => Promise.resolve(void fixture.program('echo')),
    host: { env: { PATH: '/nonexistent' }, policy: { default: 'allow' } },
  });
}

export const requests = asTarget<RequestCase>({
  name: 'requests',
  inputs,
  open: async () => {
    let fault: { readonly error: unknown } | undefined;
    const onFault = (error: unknown): void => {
      fault = { error };
    };
    let fixture = await openWorld(onFault);
    let cases = 0;
    const run = async (given: RequestCase): Promise<void> => {
      cases += 1;
      if (cases % casesOfOne === 0) {
        await fixture[Symbol.asyncDispose]();
        fixture = await openWorld(onFault);
      }
      await exchange(fixture.port, requestText(given, fixture));
      const { status } = await fixture.raw({ path: '/health' });
      if (status !== 200)
        throw new BrokenPromise(`the service answers ${status} to a question about its health`);
      const found = fault;
      fault = undefined;
      if (found !== undefined) throw new BrokenPromise('the service answered 500', { cause: found.error });
    };
    return {
      prepare: (given) => ({ text: requestText(given, fixture), run: () => run(given) }),
      [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
    };
  },
});
