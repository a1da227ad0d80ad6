/** What both kinds of plans are made with. */

import type { FieldKind } from '../../dialects/template.ts';
import type { StringMap, VariableReferences } from '../../kernel/servers.ts';
import type { TrustedServer } from '../../trust/trust-gate.ts';
import type { SourceParts } from '../secret-sources.ts';
import { unresolved } from './unresolved.ts';

/** A text with its placeholders filled in; `path` names the field when that fails. */
export type Fill = (text: string, field: FieldKind, path: string) => string;

export interface PlanParts extends SourceParts {
  readonly fill: Fill;
  /** The value of one of our variables. */
  readonly variable: (name: string) => string | undefined;
  /** Makes a value known as a secret. */
  readonly learn: (value: string | undefined) => string | undefined;
}

export function fillMap(map: StringMap, field: 'env' | 'headers', { fill }: PlanParts): StringMap {
  return Object.fromEntries(
    Object.entries(map).map(([name, value]) => [name, fill(value, field, `${field}.${name}`)]),
  );
}

/** Values taken from variables by name. What is not set is left out, except a token: without it nothing would work. */
export function fillReferences(
  server: TrustedServer,
  references: VariableReferences,
  { variable }: PlanParts,
): StringMap {
  const filled = Object.entries(references).flatMap(([name, reference]) => {
    const value = variable(reference.variable);
    if (value !== undefined) return [[name, `${reference.prefix}${value}${reference.suffix}`] as const];
    if (name.toLowerCase() !== 'authorization') return [];
    throw unresolved(
      server,
      `headers.${name}`,
      `the variable ${reference.variable} is not set`,
      `Set ${reference.variable}.`,
    );
  });
  return Object.fromEntries(filled);
}
