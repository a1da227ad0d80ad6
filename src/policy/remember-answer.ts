/**
 * Stores the answer "always". For the user's own server it becomes a rule in the user's settings. For a
 * project's server it is stored with the approval of that exact entry, so that changing the entry revokes it.
 */

import { addToSetting } from '../editing/save-setting.ts';
import type { Machine } from '../kernel/machine.ts';
import type { Files } from '../platform/files/files.ts';
import type { Approvals } from '../trust/trust-state.ts';
import type { TrustStore } from '../trust/trust-store.ts';
import type { PolicyQuestion } from './policy.ts';
import type { PolicyServer } from './policy-rule.ts';
import { readAllow } from './rules/allow-readings.ts';
import { pairHash, sanitise } from './rules/rule-names.ts';
import { approvalOf } from './sources/answers.ts';

export interface RememberParts {
  readonly machine: Machine;
  readonly files: Files;
  readonly approvals: Approvals;
  readonly store: TrustStore;
  /** Returns Unix time in milliseconds. */
  readonly now: () => number;
  /** All servers, because the rule must match only this one. */
  readonly servers: readonly PolicyServer[];
}

export type Remembered =
  | { readonly kind: 'saved'; readonly file: string; readonly rule: string }
  /** The answer applies to this run only. */
  | { readonly kind: 'not-saved'; readonly reason: string };

type Asked = Pick<PolicyQuestion, 'server' | 'tool' | 'definition'>;

/** Rejects with `config-unwritable` or `config-invalid` when the file cannot be changed. */
export async function rememberAlways(asked: Asked, parts: RememberParts): Promise<Remembered> {
  return asked.definition.guarded ? withApproval(asked, parts) : asRule(asked, parts);
}

async function asRule(asked: Asked, { machine, files, now, servers }: RememberParts): Promise<Remembered> {
  const rule = ruleFor(asked, servers);
  const change = { scope: 'user', name: 'permissions.allow', item: rule } as const;
  const { file } = await addToSetting(change, { machine, files, now });
  return { kind: 'saved', file, rule };
}

/** Returns the plain name if it is unambiguous, otherwise the name with the hash of server and tool. */
function ruleFor({ server, tool }: Asked, servers: readonly PolicyServer[]): string {
  const text = `mcp__${sanitise(server)}__${sanitise(tool)}`;
  const verdict = readAllow({ effect: 'allow', text, form: 'double', guarded: false }, servers);
  const isPlain = verdict.kind === 'server' && verdict.reading.server === server && sanitise(tool) === tool;
  return isPlain ? text : `${text}_${pairHash(server, tool)}`;
}

async function withApproval({ definition, tool }: Asked, parts: RememberParts): Promise<Remembered> {
  const { store } = parts;
  let isSaved = false;
  await store.change((records) => {
    const approval = approvalOf(definition, records, parts);
    isSaved = approval !== undefined;
    return records.map((record) =>
      record === approval ? { ...record, allow: [...new Set([...(record.allow ?? []), tool])] } : record,
    );
  });
  if (isSaved) return { kind: 'saved', file: store.file, rule: tool };
  return { kind: 'not-saved', reason: `"${definition.name}" is approved for this run only` };
}
