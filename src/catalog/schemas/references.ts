/** Resolves a `$ref` inside its own document. Nothing outside is ever fetched. */

import { fieldOf, isList, isObject, type JsonObject } from '../../kernel/json.ts';

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
