/** Schemas of tools, values that are checked against them, and schemas as model providers take them. */

import fc from 'fast-check';

import { checkArguments } from '../../../src/catalog/check-arguments.ts';
import { checkOutput } from '../../../src/catalog/check-output.ts';
import { toolDigest } from '../../../src/catalog/pinning/definition.ts';
import { restoreNames, schemaFor, type Provider } from '../../../src/catalog/provider-schemas.ts';
import { signatureOf } from '../../../src/catalog/signature.ts';
import { toolSchemas } from '../../support/tool-schemas.ts';
import { anyRecipe, write, type Recipe } from '../inputs/json-recipe.ts';
import { damaged, damages, type Damage } from '../inputs/damage.ts';
import { asTarget } from '../target.ts';
import { nextTurn } from '../../../src/platform/waits.ts';

const providers: readonly Provider[] = ['openai', 'openai-strict', 'anthropic', 'gemini', 'generic'];

const keywords = [
  '$ref',
  '$defs',
  'definitions',
  '$id',
  '$anchor',
  '$dynamicRef',
  '$dynamicAnchor',
  '$schema',
  'type',
  'enum',
  'const',
  'properties',
  'patternProperties',
  'additionalProperties',
  'propertyNames',
  'unevaluatedProperties',
  'required',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
  'minProperties',
  'maxProperties',
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'minContains',
  'maxContains',
  'uniqueItems',
  'minItems',
  'maxItems',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'default',
  'nullable',
  'description',
  'title',
  'examples',
];
const operands = [
  'object',
  'array',
  'string',
  'integer',
  'number',
  'boolean',
  'null',
  '#',
  '#/$defs/a',
  '#/properties/a',
  '#a',
  'a',
  'b',
  'b c',
  'date-time',
  '^(a+)+$',
  '(a|a)*b',
  '(?=a)',
  '[',
  '\\p{L}+',
  'http://json-schema.org/draft-07/schema#',
  'https://json-schema.org/draft/2020-12/schema',
];

const sampleTexts = toolSchemas.flatMap(({ schema }) => {
  try {
    return [JSON.stringify(schema ?? {})];
  } catch {
    return []; // a sample that is deeper than what can be printed, or refers to itself
  }
});

interface SchemaCase {
  readonly schema: Recipe | string;
  readonly value: Recipe;
  readonly damage: readonly Damage[];
}

const schemaRecipes = anyRecipe([...keywords, ...operands]);
const inputs: fc.Arbitrary<SchemaCase> = fc.record({
  schema: fc.oneof(
    // At the root an object with keywords: anything else ends the check at once.
    {
      weight: 6,
      arbitrary: fc
        .array(fc.tuple(fc.constantFrom(...keywords), schemaRecipes), { minLength: 1, maxLength: 6 })
        .map((fields) => ({ fields })),
    },
    { weight: 1, arbitrary: schemaRecipes },
    { weight: 2, arbitrary: fc.constantFrom(...sampleTexts) },
  ),
  value: anyRecipe(operands),
  damage: damages(2, keywords),
});

/** Damaged text that is no longer JSON says nothing about schemas: then the text before counts. */
function jsonOf(text: string, damage: readonly Damage[]): string {
  for (const candidate of [damaged(text, damage), text])
    try {
      JSON.parse(candidate);
      return candidate;
    } catch {
      continue;
    }
  return '{}';
}

export const schemas = asTarget<SchemaCase>({
  name: 'schemas',
  inputs,
  open: () =>
    Promise.resolve({
      prepare: ({ schema, value, damage }) => {
        const schemaText = jsonOf(typeof schema === 'string' ? schema : write(schema), damage);
        const valueText = jsonOf(write(value), []);
        const read = { schema: JSON.parse(schemaText) as unknown, value: JSON.parse(valueText) as unknown };
        return { text: `[${schemaText},${valueText}]`, run: () => useSchema(read.schema, read.value) };
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
});

async function useSchema(schema: unknown, value: unknown): Promise<void> {
  await checkOutput(schema, value, nextTurn);
  await checkArguments(schema, value, nextTurn);
  await checkArguments({ properties: { value: schema } }, { value }, nextTurn);
  const tool = { name: 'tool', description: 'A tool', inputSchema: schema };
  for (const provider of providers) {
    await nextTurn();
    const { renamed } = schemaFor(tool, provider);
    restoreNames({ value }, renamed);
  }
  await nextTurn();
  signatureOf(tool);
  await nextTurn();
  // A list never has a tool whose schema is not an object.
  if (typeof schema === 'object' && schema !== null)
    toolDigest({ name: 'tool', inputSchema: { ...schema, type: 'object' } });
}
