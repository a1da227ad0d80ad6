/**
 * Converts a tool's schema to what a model provider accepts, and reports what was lost. Arguments are checked
 * against the original schema.
 */

import { putField, type JsonObject } from '../kernel/json.ts';
import { normalInputSchema } from './tool-info.ts';
import { omittedAsNull } from './schemas/fit-containers.ts';
import { fitDefinitions, fitSchema } from './schemas/fit-schema.ts';
import { noted, type Fit } from './schemas/fit.ts';
import { providerRules, type Provider } from './schemas/provider-rules.ts';

export type { Provider };

export interface FittedSchema {
  readonly schema: JsonObject;
  /** The tool's description, with the constraints that the schema cannot express. */
  readonly description: string;
  /** One line for each loss: where, and what. */
  readonly losses: readonly string[];
  /**
   * Maps the new names of top-level parameters to the server's names, for names that the provider would
   * refuse. Mostly empty.
   */
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
      return orNull === undefined ? fitted : omittedAsNull(fitted, fit);
    },
  };
  const typed = root['type'] === 'object' ? root : { ...root, type: 'object' };
  const { description: described, ...schema } = fitSchema(typed, fit, {
    path: [],
    depth: 1,
    enclosing: [root],
  });
  const definitions = fitDefinitions(fit);
  const renamed = Object.fromEntries(fit.renamed);
  const notes = Object.keys(renamed).map((name) => `${name} stands for ${JSON.stringify(renamed[name])}`);
  return {
    schema: Object.keys(definitions).length === 0 ? schema : { ...schema, $defs: definitions },
    description: describe(tool.description ?? '', typeof described === 'string' ? described : '', notes),
    losses: [...fit.losses, ...notes.map((note) => `(root): ${note}`)],
    renamed,
  };
}

/** A root schema's description usually repeats the tool's, but notes added to it must reach the model. */
function describe(own: string, described: string, notes: readonly string[]): string {
  const text = own === '' || described === '' ? own + described : `${own}\n${described}`;
  return notes.length === 0 ? text : noted(text, notes);
}

/** Takes the arguments that a model sent for a fitted schema, and returns them under the server's names. */
export function restoreNames(args: JsonObject, renamed: FittedSchema['renamed']): JsonObject {
  if (Object.keys(renamed).length === 0) return args;
  const restored: Record<string, unknown> = {};
  for (const name of Object.keys(args)) {
    putField(restored, Object.hasOwn(renamed, name) ? (renamed[name] ?? name) : name, args[name]);
  }
  return restored;
}
