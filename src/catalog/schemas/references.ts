/**
 * Resolves references inside their own document (nothing outside is ever fetched), and the keywords `$ref`,
 * `$dynamicRef` and the older `$recursiveRef`, which continue with the schema they refer to.
 */

import type { MaybePromise } from '../../kernel/type-tools.ts';
import { fieldOf, isList, isObject, type JsonObject } from '../../kernel/json.ts';
import { type Keyword, spend, type Verdict, type Walk, warn } from './walk.ts';

export interface Target {
  readonly schema: unknown;
  /** The document that the target belongs to, or the part of it with its own `$id`. */
  readonly resource: JsonObject;
}

export interface SchemaIndex {
  readonly resources: ReadonlyMap<string, JsonObject>;
  readonly uris: ReadonlyMap<JsonObject, string>;
  /** Anchors and dynamic anchors of each resource. */
  readonly anchors: ReadonlyMap<JsonObject, ReadonlyMap<string, JsonObject>>;
}

const base = 'schema://document/';
const maxNodes = 50_000;
/** Parsing a URI costs as much as visiting hundreds of nodes, and a relative one costs its base as well. */
const maxIdCharacters = 40_000;
const charactersForId = 20;
const maxReference = 1000;

/** Resolves a JSON pointer. This is the common case, and it needs no index. */
function resolvePointer(resource: JsonObject, reference: string): unknown {
  let here: unknown = resource;
  for (const part of decoded(reference).split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (isList(here)) here = here[Number(key)];
    else if (isObject(here)) here = fieldOf(here, key);
    else return undefined;
  }
  return here;
}

const targets = new WeakMap<JsonObject, WeakMap<JsonObject, Map<string, Target | undefined>>>();

/**
 * Cached, because schemas never change after they are read. Calls `onLookUp` when the cache has no answer.
 */
export function resolveReference(
  reference: string,
  from: JsonObject,
  root: JsonObject,
  onLookUp?: () => void,
): Target | undefined {
  if (reference.length > maxReference) return undefined;
  const ofRoot = targets.get(root) ?? new WeakMap<JsonObject, Map<string, Target | undefined>>();
  targets.set(root, ofRoot);
  const known = ofRoot.get(from) ?? new Map<string, Target | undefined>();
  ofRoot.set(from, known);
  if (!known.has(reference)) {
    onLookUp?.();
    known.set(reference, lookUp(reference, from, root));
  }
  return known.get(reference);
}

function lookUp(reference: string, from: JsonObject, root: JsonObject): Target | undefined {
  if (reference === '#') return { schema: from, resource: from };
  if (reference.startsWith('#/')) return found(resolvePointer(from, reference), from);
  const known = indexOf(root);
  const start = known.uris.get(from) ?? base;
  const uri = URL.canParse(reference, start) ? new URL(reference, start) : undefined;
  if (uri === undefined) return undefined;
  const fragment = uri.hash;
  uri.hash = '';
  const resource = known.resources.get(uri.href);
  if (resource === undefined) return undefined;
  if (fragment === '') return { schema: resource, resource };
  if (fragment.startsWith('#/')) return found(resolvePointer(resource, fragment), resource);
  return found(known.anchors.get(resource)?.get(decoded(fragment).slice(1)), resource);
}

function found(schema: unknown, resource: JsonObject): Target | undefined {
  return schema === undefined ? undefined : { schema, resource };
}

const indexes = new WeakMap<JsonObject, SchemaIndex>();

export function indexOf(root: JsonObject): SchemaIndex {
  const known = indexes.get(root) ?? indexSchema(root);
  indexes.set(root, known);
  return known;
}

interface Node {
  readonly node: object;
  readonly resource: JsonObject;
  readonly uri: string;
}

/** Finds every `$id`, `$anchor` and `$dynamicAnchor` in one pass, without recursion, up to `maxNodes`. */
function indexSchema(root: JsonObject): SchemaIndex {
  const resources = new Map<string, JsonObject>([[base, root]]);
  const uris = new Map<JsonObject, string>();
  const anchors = new Map<JsonObject, Map<string, JsonObject>>();
  const waiting: Node[] = [{ node: root, resource: root, uri: base }];
  let charactersLeft = maxIdCharacters;
  for (let at = 0; at < waiting.length && at < maxNodes; at += 1) {
    const here = waiting[at];
    if (here === undefined) break;
    charactersLeft -= idCharacters(here);
    const own = isObject(here.node) && charactersLeft >= 0 ? ownPlace(here.node, here) : here;
    if (isObject(own.node)) {
      if (own.node === own.resource) {
        resources.set(own.uri, own.node);
        uris.set(own.node, own.uri);
      }
      addAnchors(own.node, own.resource, anchors);
    }
    addNodesIn(own, waiting);
  }
  return { resources, uris, anchors };
}

function addNodesIn({ node, resource, uri }: Node, waiting: Node[]): void {
  const inside: readonly unknown[] = isList(node) ? node : Object.values(node);
  for (const each of inside) {
    // Nodes beyond the limit are never visited.
    if (waiting.length >= maxNodes) break;
    if (typeof each === 'object' && each !== null) waiting.push({ node: each, resource, uri });
  }
}

/** Returns what parsing the node's own URI costs. */
function idCharacters({ node, uri }: Node): number {
  const id = isObject(node) ? node['$id'] : undefined;
  return typeof id === 'string' && id.length <= maxReference ? id.length + uri.length + charactersForId : 0;
}

function ownPlace(node: JsonObject, { resource, uri }: Node): Node {
  const id = node['$id'];
  if (typeof id !== 'string' || id.length > maxReference) return { node, resource, uri };
  if (id.startsWith('#') || !URL.canParse(id, uri)) return { node, resource, uri };
  const own = new URL(id, uri);
  own.hash = '';
  return { node, resource: node, uri: own.href };
}

function addAnchors(
  node: JsonObject,
  resource: JsonObject,
  anchors: Map<JsonObject, Map<string, JsonObject>>,
): void {
  const { $id: id, $anchor: anchor, $dynamicAnchor: dynamic } = node;
  const old = typeof id === 'string' && id.startsWith('#') ? id.slice(1) : undefined;
  for (const name of [anchor, dynamic, old]) {
    if (typeof name !== 'string') continue;
    const names = anchors.get(resource) ?? new Map<string, JsonObject>();
    if (!names.has(name)) names.set(name, node);
    anchors.set(resource, names);
  }
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** Looking up a reference may parse it as a URI. */
const charactersInStep = 4;

export function targetOf(keyword: string, reference: unknown, walk: Walk): Target | undefined {
  const here = walk.scope.at(-1);
  if (typeof reference !== 'string' || here === undefined) return undefined;
  const target = resolveReference(reference, here, walk.scope[0] ?? here, () =>
    spend(walk, reference.length / charactersInStep),
  );
  if (target === undefined || keyword !== '$dynamicRef') return target;
  return dynamicTarget(target, walk) ?? target;
}

/**
 * Returns the schema with the same dynamic anchor in the outermost document in scope, which takes precedence.
 */
function dynamicTarget(target: Target, walk: Walk): Target | undefined {
  const name = isObject(target.schema) ? target.schema['$dynamicAnchor'] : undefined;
  if (typeof name !== 'string') return undefined;
  for (const resource of walk.scope) {
    const schema: JsonObject | undefined = indexOf(walk.scope[0] ?? resource)
      .anchors.get(resource)
      ?.get(name);
    if (schema?.['$dynamicAnchor'] === name) return { schema, resource };
  }
  return undefined;
}

/** Runs work with references resolved in another document. */
export function inResource<Value>(
  resource: JsonObject,
  walk: Walk,
  run: () => MaybePromise<Value>,
): MaybePromise<Value> {
  if (walk.scope.at(-1) === resource) return run();
  walk.scope.push(resource);
  const outcome = run();
  if (outcome instanceof Promise) return outcome.finally(() => walk.scope.pop());
  walk.scope.pop();
  return outcome;
}

function checkTarget(keyword: string, operand: unknown, value: unknown, walk: Walk): Verdict {
  const target = targetOf(keyword, operand, walk);
  if (target !== undefined) return inResource(target.resource, walk, () => walk.check(target.schema, value));
  if (typeof operand !== 'string') return true;
  return warn(walk, `${keyword} ${JSON.stringify(operand.slice(0, 100))} leads nowhere inside the schema`);
}

export const referenceKeywords: readonly (readonly [string, Keyword])[] = [
  ['$ref', (operand, value, _schema, walk) => checkTarget('$ref', operand, value, walk)],
  ['$dynamicRef', (operand, value, _schema, walk) => checkTarget('$dynamicRef', operand, value, walk)],
  ['$recursiveRef', (operand, value, _schema, walk) => checkTarget('$recursiveRef', operand, value, walk)],
];
