/** Whether two JSON values say the same, within the walk's bounds. */

import { isJsonObject, isList } from './json.ts';
import { mayEnter, type Walk } from './walk.ts';

export function sameJson(left: unknown, right: unknown, walk: Walk): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || !mayEnter(walk)) return false;
  walk.depth += 1;
  const same = isList(left) ? sameLists(left, right, walk) : sameObjects(left, right, walk);
  walk.depth -= 1;
  return same;
}

function sameLists(left: readonly unknown[], right: unknown, walk: Walk): boolean {
  return (
    isList(right) && left.length === right.length && left.every((item, at) => sameJson(item, right[at], walk))
  );
}

function sameObjects(left: unknown, right: unknown, walk: Walk): boolean {
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && sameJson(left[name], right[name], walk))
  );
}
