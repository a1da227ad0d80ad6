/** What the plans for programs and for remote servers share. */

import type { FieldKind } from '../../dialects/template.ts';
import { HoltError } from '../../kernel/errors.ts';
import type { StringMap, VariableReferences, ServerDefinition } from '../../kernel/servers.ts';
import type { TrustedServer } from '../../trust/trust-gate.ts';
import type { SourceParts } from '../secret-sources.ts';

/** Resolves the placeholders in a string. `path` names the field in errors. */
export type Fill = (text: string, field: FieldKind, path: string) => string;

export interface PlanParts extends SourceParts {
  readonly fill: Fill;
  /** Returns the value of one of the host's variables. */
  readonly variable: (name: string) => string | undefined;
  /** Registers a value as a secret, and returns it. */
  readonly learn: (value: string | undefined) => string | undefined;
}

export function fillMap(map: StringMap, field: 'env' | 'headers', { fill }: PlanParts): StringMap {
  return Object.fromEntries(
    Object.entries(map).map(([name, value]) => [name, fill(value, field, `${field}.${name}`)]),
  );
}

/**
 * Resolves values that are taken from variables by name. Omits a variable that is not set, except for the
 * authorization header, without which nothing would work: then throws `secret-unresolved`.
 */
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

export function unresolved(
  { name }: ServerDefinition,
  field: string,
  reason: string,
  remedy?: string,
): HoltError<'secret-unresolved'> {
  const message = `Server "${name}" cannot start: ${reason} (needed for "${field}")`;
  return new HoltError(
    'secret-unresolved',
    message,
    { server: name, field, reason },
    remedy === undefined ? {} : { remedy },
  );
}
