/** A tool's schema as a model provider takes it, with a report of what had to go. Arguments are checked against the original. */

import { normalInputSchema } from './normal-schema.ts';
import { leftOutAsNull } from './schemas/fit-object.ts';
import { fitDefinitions, fitSchema } from './schemas/fit-schema.ts';
import { noted, type Fit } from './schemas/fit.ts';
import { putField } from './schemas/json.ts';
import { providerRules, type Provider } from './schemas/provider-rules.ts';
import type { JsonObject } from './tool-info.ts';

export type { Provider };

export interface FittedSchema {
  readonly schema: JsonObject;
  /** The tool's description, with what the schema could not say. */
  readonly description: string;
  /** One line for each thing that had to go: where, and what. */
  readonly losses: readonly string[];
  /** Top-level parameters the provider would refuse by name: their new name to the server's own. Mostly empty. */
  readonly renamed: Readonly<Record<string, string>>;
}

const maxSchemas = 2000;
const maxEnumValues = 1000;
/** Enough for a schema of 1 MiB, but not for one that repeats a large part many times. */
const maxWork = 1_500_000;

export function schemaFor(
  tool: { readonly description?: string | undefined; readonly inputSchema: unknown },
  provider: Provider,
): FittedSchema {
  const root = normalInputSchema(tool.inputSchema);
  const fit: Fit = {
    rules: providerRules[provider],
    root,
    losses: [],
    definitions: new Map(),
    renamed: new Map(),
    schemasLeft: maxSchemas,
    enumValuesLeft: maxEnumValues,
    workLeft: maxWork,
    numbers: new Map(),
    fit: (schema, place, orNull) => {
      const fitted = fitSchema(schema, fit, place);
      return orNull === undefined ? fitted : leftOutAsNull(fitted, fit);
    },
  };
  const { description: said, ...schema } = fitSchema({ ...root, type: 'object' }, fit, {
    path: [],
    depth: 1,
    inside: [root],
  });
  const definitions = fitDefinitions(fit);
  const renamed = Object.fromEntries(fit.renamed);
  const notes = Object.keys(renamed).map((name) => `${name} stands for ${JSON.stringify(renamed[name])}`);
  return {
    schema: Object.keys(definitions).length === 0 ? schema : { ...schema, $defs: definitions },
    description: describe(tool.description ?? '', typeof said === 'string' ? said : '', notes),
    losses: [...fit.losses, ...notes.map((note) => `(root): ${note}`)],
    renamed,
  };
}

/** A root schema's own description is seldom more than the tool's again, but what was noted there must be told. */
function describe(own: string, said: string, notes: readonly string[]): string {
  const text = own === '' || said === '' ? own + said : `${own}\n${said}`;
  return notes.length === 0 ? text : noted(text, notes);
}

/** Arguments as the server calls them, from what a model sent for a fitted schema. */
export function restoreNames(args: JsonObject, renamed: FittedSchema['renamed']): JsonObject {
  if (Object.keys(renamed).length === 0) return args;
  const restored: Record<string, unknown> = {};
  for (const name of Object.keys(args)) {
    putField(restored, Object.hasOwn(renamed, name) ? (renamed[name] ?? name) : name, args[name]);
  }
  return restored;
}
