/** Generates the OpenAPI 3.1 document from the table of routes. */

import type { JsonObject } from '../kernel/json.ts';
import { routes, type Route } from './contract.ts';
import { errorBody } from './contract/server-schemas.ts';
import { propertiesOf } from './contract/check.ts';
import { place, type Refer, tokenScopes } from './contract/schema.ts';

export function openApiDocument(version: string): JsonObject {
  const schemas = new Map<string, JsonObject>();
  const refer: Refer = (schema) => {
    const { name } = schema;
    if (name === undefined) return undefined;
    if (!schemas.has(name)) {
      // Register the name first, because a schema may contain itself.
      schemas.set(name, {});
      schemas.set(name, schema.render(refer));
    }
    return { $ref: `#/components/schemas/${name}` };
  };
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const [key, route] of Object.entries(routes)) {
    const [method = '', path = ''] = key.split(' ');
    const template = path.replaceAll(/:(\w+)/g, '{$1}');
    paths[template] = { ...paths[template], [method.toLowerCase()]: operation(key, route, refer) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'holt', version, description: 'The API of holt serve: MCP servers of a running host.' },
    paths,
    components: {
      schemas: Object.fromEntries(schemas),
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: `From ~/.holt/run/<port>.json. Scopes: ${tokenScopes.join(', ')}.`,
        },
      },
    },
  };
}

function operation(key: string, route: Route, refer: Refer): JsonObject {
  const { scope, summary, body, bodyOptional } = route;
  return {
    operationId: operationId(key),
    summary,
    security: scope === undefined ? [] : [{ token: [scope] }],
    parameters: [...pathParameters(key), ...queryParameters(route, refer), ...headerParameters(route)],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: bodyOptional !== true,
            content: { 'application/json': { schema: place(body, refer) } },
          },
        }),
    responses: {
      200: { description: summary, content: contentOf(route, refer) },
      default: {
        description: 'The request failed',
        content: { 'application/json': { schema: place(errorBody, refer) } },
      },
    },
  };
}

/** `POST /mcp/:name/auth/callback` is `postMcpNameAuthCallback`. */
function operationId(key: string): string {
  const words = key.split(/[^A-Za-z]+/).filter((word) => word !== '');
  const [first = '', ...rest] = words.map((word) => word.toLowerCase());
  return [first, ...rest.map((word) => (word[0] ?? '').toUpperCase() + word.slice(1))].join('');
}

function pathParameters(key: string): readonly JsonObject[] {
  return [...key.matchAll(/:(\w+)/g)].map((match) => ({
    name: match[1],
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters({ query }: Route, refer: Refer): readonly JsonObject[] {
  if (query === undefined) return [];
  const rendered = query.render(refer);
  const required = (rendered['required'] ?? []) as readonly string[]; // the schema builder ensures this
  return Object.entries(propertiesOf(rendered)).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

function headerParameters({ kind }: Route): readonly JsonObject[] {
  if (kind !== 'events') return [];
  return [{ name: 'Last-Event-ID', in: 'header', required: false, schema: { type: 'string' } }];
}

const mediaTypes = {
  json: 'application/json',
  text: 'text/plain',
  html: 'text/html',
  svg: 'image/svg+xml',
} as const;

function contentOf({ kind = 'json', answer, streams }: Route, refer: Refer): JsonObject {
  const whole = kind === 'events' ? {} : { [mediaTypes[kind]]: { schema: place(answer, refer) } };
  if (streams === undefined) return whole;
  // OpenAPI 3.1 cannot describe the messages of a stream, so an extension maps event names to schemas of
  // their data.
  const events = Object.entries(streams).map(([name, schema]) => [name, place(schema, refer)] as const);
  return {
    ...whole,
    'text/event-stream': { schema: { type: 'string' }, 'x-events': Object.fromEntries(events) },
  };
}
