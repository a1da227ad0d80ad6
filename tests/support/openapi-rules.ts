/** Checks a document against the OpenAPI 3.1 rules that ours uses: returns a list of errors, empty when it is valid. */

import type { JsonObject } from '../../src/kernel/json.ts';

const methods = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);
const places = new Set(['query', 'header', 'path', 'cookie']);

export function findOpenApiFaults(document: unknown): readonly string[] {
  const root = asObject(document);
  const ids = new Set<string>();
  return [
    ...rule(/^3\.1\.\d+$/.test(String(root['openapi'])), 'openapi is not 3.1'),
    ...rule(typeof asObject(root['info'])['title'] === 'string', 'info has no title'),
    ...rule(typeof asObject(root['info'])['version'] === 'string', 'info has no version'),
    ...Object.entries(asObject(root['paths'])).flatMap(([path, item]) =>
      pathFaults(path, asObject(item), { root, ids }),
    ),
    ...referenceFaults(root),
    ...Object.keys(asObject(asObject(root['components'])['schemas'])).flatMap((name) =>
      rule(/^[\w.-]+$/.test(name), `components: "${name}" is no name`),
    ),
  ];
}

interface Around {
  readonly root: JsonObject;
  readonly ids: Set<string>;
}

function pathFaults(path: string, item: JsonObject, around: Around): readonly string[] {
  return [
    ...rule(path.startsWith('/'), `${path} does not begin with a slash`),
    ...Object.entries(item).flatMap(([method, operation]) =>
      methods.has(method)
        ? operationFaults(`${method} ${path}`, asObject(operation), around)
        : [`${path}: ${method} is no method`],
    ),
  ];
}

function operationFaults(where: string, operation: JsonObject, { root, ids }: Around): readonly string[] {
  const id = String(operation['operationId']);
  const isNew = !ids.has(id);
  ids.add(id);
  const parameters = asArray(operation['parameters']).map(asObject);
  const named = new Set(parameters.filter((one) => one['in'] === 'path').map((one) => one['name']));
  const inPath = [...where.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  const schemes = asObject(asObject(root['components'])['securitySchemes']);
  const body = operation['requestBody'];
  return [
    ...rule(isNew, `${where}: operationId ${id} is taken`),
    ...inPath.flatMap((name) =>
      rule(named.has(name), `${where}: the path’s {${name}} is not among its parameters`),
    ),
    ...parameters.flatMap((one) => parameterFaults(where, one, inPath)),
    ...(body === undefined ? [] : contentFaults(`${where}: its body`, asObject(asObject(body)['content']))),
    ...responseFaults(where, asObject(operation['responses'])),
    ...asArray(operation['security']).flatMap((one) =>
      Object.keys(asObject(one)).flatMap((name) => rule(name in schemes, `${where}: no scheme ${name}`)),
    ),
  ];
}

function parameterFaults(where: string, parameter: JsonObject, inPath: readonly string[]): readonly string[] {
  const name = String(parameter['name']);
  const isOfPath = parameter['in'] === 'path';
  return [
    ...rule(places.has(String(parameter['in'])), `${where}: ${name} is nowhere`),
    ...rule(
      !isOfPath || (parameter['required'] === true && inPath.includes(name)),
      `${where}: ${name} must be required`,
    ),
    ...rule(parameter['schema'] !== undefined, `${where}: ${name} has no schema`),
  ];
}

function responseFaults(where: string, responses: JsonObject): readonly string[] {
  return [
    ...rule(Object.keys(responses).length > 0, `${where}: no responses`),
    ...Object.entries(responses).flatMap(([status, response]) => [
      ...rule(/^([1-5]\d\d|[1-5]XX|default)$/.test(status), `${where}: ${status} is no status`),
      ...rule(
        typeof asObject(response)['description'] === 'string',
        `${where}: ${status} has no description`,
      ),
      ...contentFaults(`${where}: ${status}`, asObject(asObject(response)['content'])),
    ]),
  ];
}

function contentFaults(where: string, content: JsonObject): readonly string[] {
  return Object.entries(content).flatMap(([type, media]) => [
    ...rule(/^[\w.+-]+\/[\w.+-]+$/.test(type), `${where}: ${type} is no media type`),
    ...rule(asObject(media)['schema'] !== undefined, `${where}: ${type} has no schema`),
  ]);
}

function referenceFaults(root: JsonObject): readonly string[] {
  const text = JSON.stringify(root);
  const references = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1] ?? ''));
  return [...references].flatMap((reference) => {
    let at: unknown = root;
    for (const step of reference.replace('#/', '').split('/')) at = asObject(at)[step];
    return rule(at !== undefined, `${reference} leads nowhere`);
  });
}

function rule(holds: boolean, fault: string): readonly string[] {
  return holds ? [] : [fault];
}

function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {}; // checked right here
}

function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
