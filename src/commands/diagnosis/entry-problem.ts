/** A problem at the place where an entry is written. */

import type { Problem, ProblemCode, Severity } from '../../kernel/problems.ts';
import type { ServerDefinition } from '../../kernel/servers.ts';

interface Finding {
  readonly severity: Severity;
  readonly code: ProblemCode;
  readonly message: string;
  readonly remedy: string;
}

export function entryProblem(
  { name, origin: { file, line, column } }: ServerDefinition,
  finding: Finding,
): Problem {
  return { ...finding, file, line, column, server: name };
}
