/** The OpenAPI document is valid 3.1, names every route, and is what the routes keep to, for requests of every kind. */

import { Validator } from '@cfworker/json-schema';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { errorBody } from '../../src/api/contract/server-schemas.ts';
import { routes, type Route, type RouteKey } from '../../src/api/contract.ts';
import { check } from '../../src/api/contract/check.ts';
import { streamSchemas } from '../../src/api/contract/catalog-schemas.ts';
import { openApiDocument } from '../../src/api/openapi.ts';
import { arbitraryOf } from '../support/schema-values.ts';
import { findOpenApiFaults } from '../support/openapi-rules.ts';
import { openServiceFixture, type ServiceFixture } from '../support/service-fixture.ts';
import { serverFolder } from '../support/stdio-fixture.ts';

const keys = Object.keys(routes) as RouteKey[]; // keyof is what Object.keys gives here
const document = openApiDocument('1.2.3');

describe('the document', () => {
  test('follows the rules of OpenAPI 3.1', () => {
    expect(findOpenApiFaults(document)).toEqual([]);
  });

  test('the rules are strict enough to notice', () => {
    const broken = structuredClone(document) as {
      paths: Record<string, Record<string, Record<string, unknown>>>;
    };
    const get = broken.paths['/mcp/{name}']?.['get'] ?? {};
    get['parameters'] = [];
    get['responses'] = {
      200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Nobody' } } } },
    };
    expect(findOpenApiFaults(broken)).toEqual([
      'get /mcp/{name}: the path’s {name} is not among its parameters',
      'get /mcp/{name}: 200 has no description',
      '#/components/schemas/Nobody leads nowhere',
    ]);
  });

  test('has every route, with the scope it requires', () => {
    const listed = Object.entries(
      document['paths'] as Record<string, Record<string, { security: unknown }>>,
    ).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { security }]) => [
        `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
        security,
      ]),
    );
    const wanted = keys.map((key) => {
      const { scope }: Route = routes[key];
      return [key, scope === undefined ? [] : [{ token: [scope] }]];
    });
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(wanted));
  });

  test('each of its schemas is one by the rules of JSON Schema 2020-12', () => {
    const { schemas } = document['components'] as { readonly schemas: Record<string, object> };
    for (const schema of Object.values(schemas)) {
      const whole = { ...schema, components: document['components'] };
      expect(() => new Validator(whole, '2020-12').validate({})).not.toThrow();
    }
  });
});

describe('schemas and values', () => {
  test.each(Object.entries({ ...routes['GET /events'].streams, ...streamSchemas, error: errorBody }))(
    'what is made from the schema of %s fits it',
    (_name, schema) => {
      fc.assert(
        fc.property(arbitraryOf(schema.render()), (value) => {
          expect(check(schema, value)).toEqual({ ok: true });
        }),
        { numRuns: 50 },
      );
    },
  );
});

describe('whatever is asked', () => {
  let api: ServiceFixture;
  beforeAll(async () => {
    const echo = { command: process.execPath, args: [`${serverFolder}/echo.mjs`] };
    api = await openServiceFixture({ host: { servers: { echo }, policy: { default: 'allow' } } });
    await api.service.host.connect();
  });
  afterAll(() => api[Symbol.asyncDispose]());

  /** Starting programs of any name and logging in anywhere are for tests of their own. */
  const asked = keys.filter(
    (key) => !['GET /events', 'POST /mcp', 'POST /mcp/:name/auth/authenticate'].includes(key),
  );

  test.each(asked)('%s answers by its schema, or with an error by its', async (key) => {
    const route: Route = routes[key];
    const name = fc.constantFrom('echo', 'mcp__echo__echo', 'echo.pid', 'nobody', 'a/b', '%', '..');
    const request = fc.record({
      name,
      query: queryOf(route),
      body:
        route.body === undefined
          ? fc.constant(undefined)
          : fc.option(arbitraryOf(route.body.render()), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(request, async ({ name: given, query, body }) => {
        const answer = await api.ask(key, { name: given, query, body });
        const isText = route.kind !== undefined && ['text', 'html', 'svg'].includes(route.kind);
        const value = isText ? answer.text : answer.json;
        const schema = answer.status === 200 ? route.answer : errorBody;
        expect([answer.status, check(schema, value)]).toEqual([answer.status, { ok: true }]);
        expect(answer.status).not.toBe(500);
      }),
      { numRuns: 12 },
    );
  });

  test('a body of any shape is refused by its schema, and never brings the service down', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<RouteKey>('POST /mcp', 'POST /trust', 'POST /prompts/get'),
        fc.jsonValue(),
        async (key, body) => {
          const { status } = await api.ask(key, { body });
          expect([400, 422]).toContain(status);
        },
      ),
      { numRuns: 40 },
    );
  });
});

function queryOf({ query }: Route): fc.Arbitrary<string> {
  if (query === undefined) return fc.constant('');
  return arbitraryOf(query.render()).map((value) => {
    const pairs = Object.entries(value as Record<string, string | number>).map(([name, one]) => [
      name,
      String(one),
    ]);
    return new URLSearchParams(pairs as [string, string][]).toString();
  });
}
