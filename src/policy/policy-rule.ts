/** Types of the policy: rules as written, and the servers they may apply to. */

import type { Decision } from '../catalog/tool-info.ts';
import type { AgentId } from '../kernel/agent-ids.ts';
import type { Severity } from '../kernel/problems.ts';
import type { ServerDefinition } from '../kernel/servers.ts';

export const decisions: readonly Decision[] = ['deny', 'ask', 'allow'];

export interface PolicyRule {
  readonly effect: Decision;
  /** The rule as written. */
  readonly text: string;
  /** `double`: `mcp__fs__read`. `plain`: `fs_read`, opencode's format. */
  readonly form: 'double' | 'plain';
  readonly file?: string;
  readonly line?: number;
  /** The agent that owns the file, if not holt: allow rules in it apply only to that agent's servers. */
  readonly agent?: AgentId;
  /** True for a project's file. Its rules may deny and ask, but allow only tools of approved servers. */
  readonly guarded: boolean;
  /** Why the rule cannot be read. Everything that it may match has to be asked for. */
  readonly unreadable?: string;
  /** Represents all rules of a file that could not be used. */
  readonly lost?: true;
  /** The problem has already been reported elsewhere. */
  readonly reported?: true;
}

/** A server that a rule may name. */
export interface PolicyServer {
  /** The name in the host: `fs`, or `fs@cursor` for a shadowed server. */
  readonly ref: string;
  readonly definition: ServerDefinition;
  readonly approved: boolean;
}

/** Rules that a program may pass when it opens a host. */
export interface PolicyRules {
  /** The decision when no rule matches; default `ask`. */
  readonly default?: Decision | undefined;
  readonly allow?: readonly string[] | undefined;
  readonly ask?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
}

/** A rule that has no effect, or not the intended one. */
export interface RuleFault {
  readonly rule: PolicyRule;
  readonly severity: Severity;
  readonly code: 'setting-invalid' | 'setting-ignored' | 'self-approval' | 'file-unreadable';
  readonly message: string;
  readonly remedy?: string;
}
