/**
 * Resolves the parts of a string that are known before any value is resolved. Does not read the environment.
 */

import { parseTemplate } from '../dialects/parse-template.ts';
import type { FieldKind, KnownName, TemplatePart } from '../dialects/template.ts';
import type { Machine } from '../kernel/machine.ts';
import type { ServerDefinition } from '../kernel/servers.ts';

export type PlainText =
  | { readonly kind: 'known'; readonly text: string }
  /** Some part is not known yet: `head` precedes the first such part, and one of `tails` follows each. */
  | { readonly kind: 'partial'; readonly head: string; readonly tails: readonly string[] };

export function plainText(
  text: string,
  field: FieldKind,
  { dialect }: Pick<ServerDefinition, 'dialect'>,
  machine: Machine,
): PlainText {
  const runs = [''];
  for (const part of parseTemplate(text, dialect, field)) {
    const known = knownText(part, machine);
    if (known === undefined) runs.push('');
    else runs.push(`${runs.pop() ?? ''}${known}`);
  }
  const [head = '', ...tails] = runs;
  return tails.length === 0 ? { kind: 'known', text: head } : { kind: 'partial', head, tails };
}

function knownText(part: TemplatePart, machine: Machine): string | undefined {
  if (part.kind === 'text' || part.kind === 'escaped') return part.text;
  if (part.kind === 'known') return knownPlace(part.name, machine);
  return undefined;
}

/** Returns the value of a placeholder that depends only on the machine. */
export function knownPlace(name: KnownName, { projectRoot, homeDir, path }: Machine): string | undefined {
  switch (name) {
    case 'workspaceFolder':
    case 'workspacePath':
    case 'projectDir':
      return projectRoot;
    case 'workspaceFolderBasename':
      return path.basename(projectRoot);
    case 'userHome':
      return homeDir;
    case 'pathSeparator':
      return path.sep;
    case 'extensionPath':
    case 'pluginRoot':
    case 'pluginData':
      return undefined;
  }
}

/** Returns the default values in a string. Each may become part of the value. */
export function fallbacksIn(
  text: string,
  field: FieldKind,
  { dialect }: Pick<ServerDefinition, 'dialect'>,
): readonly string[] {
  return parseTemplate(text, dialect, field).flatMap((part) =>
    part.kind === 'variable' && part.fallback !== undefined ? [part.fallback.text] : [],
  );
}
