/**
 * Builds the JSON Schemas of holt's own files from the tables that
 * reading uses, so that editors can complete and check them.
 */

import type { JsonObject } from '../kernel/json.ts';
import type { Machine } from '../kernel/machine.ts';
import { serverSchema } from './values/server-fields.ts';
import { projectRuleText, settingNames, settingsTable, variableOf } from './settings.ts';

export const schemaKinds = ['config', 'mcp'] as const;
export type SchemaKind = (typeof schemaKinds)[number];

const draft = 'https://json-schema.org/draft/2020-12/schema';
const ownSchema: JsonObject = { type: 'string', description: 'Where editors find this schema' };

/** The schemas by the name of the file they describe. */
export function schemaDocuments(): Readonly<Record<SchemaKind, JsonObject>> {
  return { config: configSchema(), mcp: mcpSchema() };
}

function configSchema(): JsonObject {
  const settings = settingNames.map((name) => {
    const { description, fallback, shape } = settingsTable[name];
    const more = `Environment: ${variableOf(name)}. In a project’s file: ${projectRuleText(name)}.`;
    return [name, { description: `${description}. ${more}`, ...shape.schema, default: fallback }] as const;
  });
  return {
    $schema: draft,
    title: 'Settings of holt',
    description: 'config.json in ~/.holt, config.json and config.local.json in the .holt folder of a project',
    type: 'object',
    properties: { $schema: ownSchema, ...Object.fromEntries(settings) },
    additionalProperties: false,
  };
}

function mcpSchema(): JsonObject {
  return {
    $schema: draft,
    title: 'Servers of holt',
    description: 'mcp.json in ~/.holt, mcp.json and mcp.local.json in the .holt folder of a project',
    type: 'object',
    properties: {
      $schema: ownSchema,
      mcpServers: {
        description: 'MCP servers by name',
        type: 'object',
        propertyNames: { minLength: 1, maxLength: 100 },
        additionalProperties: serverSchema(),
      },
    },
  };
}

/** Where holt stores copies for editors, relative to its own folder. */
export const schemaFolder = ['cache', 'schemas'] as const;

/**
 * Returns the `$schema` value for a file that holt writes. In the user's folder it refers to the copy there.
 * Project files must not contain anything specific to one machine, so they refer to the installed package, if
 * the project has it: an editor complains about a path that does not exist.
 */
export function schemaReference(
  kind: SchemaKind,
  scope: 'user' | 'project' | 'local',
  { machine, files }: { readonly machine: Machine; readonly files: { exists(path: string): boolean } },
): string | undefined {
  if (scope === 'user') return `./${schemaFolder.join('/')}/${kind}.json`;
  const installed = ['node_modules', 'holt', 'dist', 'schemas', `${kind}.json`];
  return files.exists(machine.path.join(machine.projectRoot, ...installed))
    ? `../${installed.join('/')}`
    : undefined;
}
