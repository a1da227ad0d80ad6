/** Opens the files of other agents in which rules may stand, with the care that all config files get. */

import type { AgentFormat, Location } from '../../agents/agent-format.ts';
import { parseDocument, partLimits } from '../../documents/parse-document.ts';
import { createLineIndex, type DocNode } from '../../documents/tree.ts';
import type { AgentId } from '../../kernel/agent-ids.ts';
import { liesInProject } from '../../kernel/machine.ts';
import { loadConfigFile, type ConfigFileParts } from '../../platform/load-config-file.ts';
import type { PolicyRule } from '../policy-rule.ts';

/** A file that may hold rules, opened. */
export interface RuleFile {
  readonly file: string;
  readonly agent: AgentId;
  readonly guarded: boolean;
  readonly root: DocNode | undefined;
  lineOf(node: { readonly start: number }): number;
}

/** What a file came to: it was read, it is not there, or its rules are lost and so in doubt. */
export type OpenedRules =
  | { readonly kind: 'read'; readonly file: RuleFile }
  | { readonly kind: 'missing' }
  | { readonly kind: 'lost'; readonly rule: PolicyRule };

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

/** Trust goes by where the file is: a variable may point into the project. */
function isProjects({ path, scope, text }: Location, { machine }: ConfigFileParts): boolean {
  return text === undefined && scope !== 'managed' && liesInProject(path, machine);
}

/** Whoever opened the file for its servers or settings has said what is wrong with it. */
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
