/** Opens other agents' files that may contain rules, with the same checks as all config files. */

import type { AgentFormat, Location } from '../../agents/agent-format.ts';
import { parseDocument, partLimits } from '../../documents/parse-document.ts';
import { createLineIndex, type DocNode } from '../../documents/tree.ts';
import type { AgentId } from '../../kernel/agent-ids.ts';
import { liesInProject } from '../../kernel/machine.ts';
import { loadConfigFile, type ConfigFileParts } from '../../platform/files/load-config-file.ts';
import type { PolicyRule } from '../policy-rule.ts';

/** An opened file that may contain rules. */
export interface RuleFile {
  readonly file: string;
  readonly agent: AgentId;
  readonly guarded: boolean;
  readonly root: DocNode | undefined;
  lineOf(node: { readonly start: number }): number;
}

/** The result of opening a file: read, missing, or lost. The rules of a lost file are unknown. */
export type OpenedRules =
  | { readonly kind: 'read'; readonly file: RuleFile }
  | { readonly kind: 'missing' }
  | { readonly kind: 'lost'; readonly rule: PolicyRule };

/** Opens and parses the file. Never rejects because of its content. */
export async function openRuleFile(
  { id }: AgentFormat,
  location: Location,
  parts: ConfigFileParts,
): Promise<OpenedRules> {
  const { path, text } = location;
  const guarded = location.guarded || isProjects(location, parts);
  const found = text === undefined ? loadConfigFile(path, guarded, parts) : givenText(text);
  if (found.kind === 'missing') return { kind: 'missing' };
  const lost = { kind: 'lost', rule: lostRules(path, guarded, id) } as const;
  if (found.kind === 'refused') return lost;
  const document = await parseDocument(found.bytes, location.format, partLimits(guarded));
  if (!document.ok) return lost;
  const position = createLineIndex(document.text);
  return {
    kind: 'read',
    file: {
      file: path,
      agent: id,
      guarded,
      root: document.root,
      lineOf: ({ start }) => position(start).line,
    },
  };
}

function givenText(text: string): { readonly kind: 'file'; readonly bytes: Uint8Array } {
  return { kind: 'file', bytes: Buffer.from(text) };
}

/** Trust depends on the file's location, because a variable may point into the project. */
function isProjects({ path, scope, text }: Location, { machine }: ConfigFileParts): boolean {
  return text === undefined && scope !== 'managed' && liesInProject(path, machine);
}

/**
 * Returns a rule that represents all rules of an unusable file. Marked as reported, because the code that
 * opened the file for servers or settings reports the problem.
 */
export function lostRules(file: string, guarded: boolean, agent?: AgentId): PolicyRule {
  return {
    effect: 'deny',
    text: 'permissions',
    form: 'double',
    file,
    line: 1,
    guarded,
    unreadable: 'the file cannot be used',
    lost: true,
    told: true,
    ...(agent === undefined ? {} : { agent }),
  };
}
