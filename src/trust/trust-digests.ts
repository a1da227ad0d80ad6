/**
 * Digests that are approved for one run: from `--trust-digest`, and from the file that `HOLT_TRUST_FILE`
 * names.
 */

import { decodeText } from '../documents/decode.ts';
import { HoltError } from '../kernel/errors.ts';
import { isInside, type Machine } from '../kernel/machine.ts';
import type { Problem } from '../kernel/problems.ts';
import type { FileOutcome, Files } from '../platform/files/files.ts';
import type { Identity } from '../platform/files/load-config-file.ts';
import { writableByOthers } from './trust-store.ts';

const digestShape = /^sha256:[0-9a-f]{64}$/;
const maxBytes = 1 << 20;

/**
 * Returns the digests unchanged. Throws `usage-invalid` for an invalid one, so that a typo does not look like
 * a refusal.
 */
export function requireDigests(words: readonly string[]): readonly string[] {
  const wrong = words.find((word) => !digestShape.test(word));
  if (wrong === undefined) return words;
  throw new HoltError(
    'usage-invalid',
    `Invalid digest "${wrong}"`,
    { given: wrong },
    {
      remedy: 'A digest is sha256: and 64 hexadecimal digits; holt trust --list shows them.',
    },
  );
}

export interface FileDigests {
  readonly digests: readonly string[];
  readonly problems: readonly Problem[];
}

/** Reads one digest per line. A file inside the project does not count: a project must not approve itself. */
export function digestsFromFile(machine: Machine, files: Files, identity: Identity | undefined): FileDigests {
  const named = machine.env['HOLT_TRUST_FILE'];
  if (named === undefined || named === '') return { digests: [], problems: [] };
  const path = machine.path.resolve(machine.cwd, named);
  const outcome = files.load(path, maxBytes);
  const reason = refusal(path, outcome, machine, identity);
  if (outcome.kind !== 'file' || reason !== undefined)
    return { digests: [], problems: [ignored(path, reason ?? 'it cannot be read')] };
  const lines = decodeText(outcome.bytes).text.split(/\r?\n/);
  return { digests: lines.map((line) => line.trim()).filter((line) => digestShape.test(line)), problems: [] };
}

function refusal(
  path: string,
  outcome: FileOutcome,
  machine: Machine,
  identity: Identity | undefined,
): string | undefined {
  if (outcome.kind !== 'file') return undefined;
  const places = [path, outcome.realPath];
  if (machine.hasProject && places.some((place) => isInside(place, machine.projectRoot, machine)))
    return 'it lies inside the project';
  return writableByOthers(outcome.facts, identity);
}

function ignored(file: string, reason: string): Problem {
  return {
    severity: 'warning',
    code: 'setting-ignored',
    file,
    line: 1,
    column: 1,
    message: `HOLT_TRUST_FILE does not count: ${reason}`,
    remedy: 'Name a file outside the project that only you can write.',
  };
}
