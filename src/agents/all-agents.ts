/** Lists all agents in the order of their precedence for names, and selects agents from a user's list. */

import { agentIdOf, agentIds, isAgentId, type AgentId } from '../kernel/agent-ids.ts';
import type { AgentFormat } from './agent-format.ts';
import { oneMcp } from './1mcp.ts';
import { tableAgents } from './agent-table.ts';
import { amp } from './amp.ts';
import { antigravity } from './antigravity.ts';
import { chimeraMink } from './chimera-mink.ts';
import { chimeraOtter } from './chimera-otter.ts';
import { claudeCode } from './claude-code.ts';
import { claudeDesktop } from './claude-desktop.ts';
import { cline } from './cline.ts';
import { codex } from './codex.ts';
import { continueDev } from './continue.ts';
import { copilotCli } from './copilot-cli.ts';
import { copilotJetbrains, copilotXcode } from './copilot-editors.ts';
import { crush } from './crush.ts';
import { cursor } from './cursor.ts';
import { factoryDroid } from './factory-droid.ts';
import { gemini } from './gemini.ts';
import { goose } from './goose.ts';
import { holt } from './holt.ts';
import { kilo } from './kilo.ts';
import { mcpJson } from './mcp-json.ts';
import { mcporter } from './mcporter.ts';
import { omp } from './omp.ts';
import { opencode } from './opencode.ts';
import { pi } from './pi.ts';
import { qwen } from './qwen.ts';
import { roo } from './roo.ts';
import { visualStudio, vscode } from './vscode.ts';
import { warp } from './warp.ts';
import { windsurf } from './windsurf.ts';
import { zed } from './zed.ts';

const formats: readonly AgentFormat[] = [
  oneMcp,
  amp,
  antigravity,
  chimeraMink,
  chimeraOtter,
  claudeCode,
  claudeDesktop,
  cline,
  codex,
  continueDev,
  copilotCli,
  copilotJetbrains,
  copilotXcode,
  crush,
  cursor,
  factoryDroid,
  gemini,
  goose,
  holt,
  kilo,
  mcpJson,
  mcporter,
  omp,
  opencode,
  pi,
  qwen,
  roo,
  visualStudio,
  vscode,
  warp,
  windsurf,
  zed,
  ...tableAgents,
];

/** In the order of `agentIds`, which is the precedence of agents for names. */
export const allAgents: readonly AgentFormat[] = agentIds.flatMap(
  (id) => formats.find((format) => format.id === id) ?? [],
);

/**
 * Selects agents by a list such as `["claude-code", "!cursor", "*"]`: ids rank in the order given, `!`
 * excludes one, and `*` is all the rest. A list of exclusions alone selects all others; an empty list selects
 * none. The caller must report unknown words.
 */
export function selectAgents(wanted: readonly string[]): readonly AgentFormat[] {
  const excluded = new Set(
    wanted.filter((word) => word.startsWith('!')).map((word) => agentIdOf(word.slice(1))),
  );
  const included = wanted.filter((word) => !word.startsWith('!')).map((word) => agentIdOf(word) ?? word);
  const words = included.length === 0 && excluded.size > 0 ? ['*'] : included;
  const named = new Set(words.filter(isAgentId));
  const ids = words.flatMap((word): readonly string[] =>
    word === '*' ? agentIds.filter((id) => !named.has(id)) : [word],
  );
  const unique = [...new Set(ids)].filter(isAgentId).filter((id) => !excluded.has(id));
  return unique.flatMap((id) => allAgents.find((format) => format.id === id) ?? []);
}

/** Returns the words of such a list that do not name an agent. */
export function unknownAgents(wanted: readonly string[]): readonly string[] {
  return wanted
    .map((word) => word.replace(/^!/, ''))
    .filter((word) => word !== '*' && agentIdOf(word) === undefined);
}

export function agentFormat(agent: AgentId): AgentFormat {
  const format = allAgents.find(({ id }) => id === agent);
  if (format === undefined) throw new RangeError(`no format for ${agent}`);
  return format;
}

/** Returns the other agents that read the files of this one. */
export function readersOf(agent: AgentId): readonly AgentId[] {
  return agentFormat(agent).readers ?? [];
}

/** Returns an agent's name for use in messages. */
export function agentLabel(agent: AgentId): string {
  return agentFormat(agent).label;
}
