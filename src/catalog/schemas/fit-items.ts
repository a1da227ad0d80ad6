/** Fits the items of a list to a provider's rules. */

import { isList, type JsonObject } from '../../kernel/json.ts';
import { below, unionOf, type Fit, type Part, type Place } from './fit.ts';
import { typeText } from './type-text.ts';

export function fitItems(schema: JsonObject, fit: Fit, place: Place): Part {
  const { items, prefixItems } = schema;
  const tuple = isList(prefixItems) ? prefixItems : isList(items) ? items : undefined;
  if (tuple !== undefined && tuple.length > 0) return fitTuple(tuple, schema, fit, place);
  if (items === undefined || isList(items)) return untypedItems(fit, place);
  if (items === false) return { fields: { items: { type: 'string' } }, notes: ['an empty list'] };
  return { fields: { items: fit.fit(items, below(place, 'items')) }, notes: [] };
}

function untypedItems(fit: Fit, place: Place): Part {
  return { fields: { items: fit.fit(true, below(place, 'items')) }, notes: [] };
}

function fitTuple(tuple: readonly unknown[], schema: JsonObject, fit: Fit, place: Place): Part {
  const fitted = tuple.slice(0, 50).map((item, at) => fit.fit(item, below(place, at)));
  const rest = isList(schema['items']) ? schema['additionalItems'] : schema['items'];
  if (fit.rules.tuples) {
    const items = rest === false ? false : fit.fit(rest ?? true, below(place, 'items'));
    return { fields: { prefixItems: fitted, items }, notes: [] };
  }
  const kinds = tuple.slice(0, 8).map((item) => typeText(item, fit.root));
  return { fields: { items: unionOf(fitted, {}, fit) }, notes: [`in this order: ${kinds.join(', ')}`] };
}
