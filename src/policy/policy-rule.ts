/** The words of the policy: a rule as it is written somewhere, and the servers it may be about. */

import type { Decision } from '../catalog/tool-info.ts';
import type { AgentId } from '../kernel/agent-ids.ts';
import type { Severity } from '../kernel/problems.ts';
import type { ServerDefinition } from '../kernel/servers.ts';

export const decisions: readonly Decision[] = ['deny', 'ask', 'allow'];

export interface PolicyRule {
  readonly effect: Decision;
  /** As it is written. */
  readonly text: string;
  /** `double`: `mcp__fs__read`. `plain`: `fs_read`, opencode's way. */
  readonly form: 'double' | 'plain';
  readonly file?: string;
  readonly line?: number;
  /** Whose file it stands in, when it is not holt's own: its allow rules cover that agent's servers alone. */
  readonly agent?: AgentId;
  /** True for a project's file: it may tighten, and allow only what was approved. */
  readonly guarded: boolean;
  /** Why it cannot be read. Whatever it may have been about is asked for. */
  readonly unreadable?: string;
  /** Stands for all rules of a file that could not be used. */
  readonly lost?: true;
  /** Somebody else has told of it already. */
  readonly told?: true;
}

/** A server that a rule may name. */
export interface PolicyServer {
  /** As the host calls it: `fs`, or `fs@cursor` for one in the shadow. */
  readonly ref: string;
  readonly definition: ServerDefinition;
  readonly approved: boolean;
}

/** What a program may say about tools when it opens a host. */
export interface PolicyRules {
  /** For what no rule matches; `ask` when left out. */
  readonly default?: Decision | undefined;
  readonly allow?: readonly string[] | undefined;
  readonly ask?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
}

/** A rule that has no effect, or not the one it was written for. */
export interface RuleFault {
  readonly rule: PolicyRule;
  readonly severity: Severity;
  readonly code: 'setting-invalid' | 'setting-ignored' | 'self-approval' | 'file-unreadable';
  readonly message: string;
  readonly remedy?: string;
}
