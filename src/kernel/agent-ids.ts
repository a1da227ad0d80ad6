/**
 * The ids of all agents whose config files holt reads. JSON output and the command line use them exactly as
 * written here.
 */

export const agentIds = [
  'holt',
  'chimera-otter',
  'chimera-mink',
  'claude-code',
  'opencode',
  'omp',
  'codex',
  'gemini',
  'cursor',
  'vscode',
  '1mcp',
  'amazon-q',
  'amp',
  'antigravity',
  'augment',
  'claude-desktop',
  'cline',
  'codearts',
  'codebuddy',
  'command-code',
  'continue',
  'copilot-cli',
  'copilot-jetbrains',
  'copilot-xcode',
  'cortex-code',
  'crush',
  'deepagents',
  'enconvo',
  'factory-droid',
  'fx',
  'goose',
  'grok-build',
  'hermes',
  'iac-code',
  'ibm-bob',
  'junie',
  'kilo',
  'kimi-code',
  'kiro',
  'lm-studio',
  'mastra-code',
  'mcporter',
  'mistral-vibe',
  'muse-code',
  'openclaw',
  'openhands',
  'pi',
  'qoder',
  'qwen',
  'reasonix',
  'roo',
  'rovo-dev',
  'sema4',
  'tabnine',
  'tome',
  'trae',
  'visual-studio',
  'warp',
  'windsurf',
  'witsy',
  'zcode',
  'zed',
  'mcp-json',
] as const;

export type AgentId = (typeof agentIds)[number];

/** An agent id, or another name or pattern for agents. The type lets editors complete the ids. */
export type AgentName = AgentId | (string & Record<never, never>);

export function isAgentId(text: string): text is AgentId {
  return (agentIds as readonly string[]).includes(text);
}

/** Common alternative names for the agents, in lower case with hyphens. */
const aliases: Readonly<Record<string, AgentId>> = {
  'amazon-q-cli': 'amazon-q',
  'amazon-q-developer': 'amazon-q',
  amazonq: 'amazon-q',
  'amp-code': 'amp',
  ampcode: 'amp',
  auggie: 'augment',
  cascade: 'windsurf',
  claude: 'claude-code',
  'claude-cli': 'claude-code',
  claudecode: 'claude-code',
  'cline-cli': 'cline',
  'cline-vscode': 'cline',
  codeium: 'windsurf',
  'codex-cli': 'codex',
  copilot: 'copilot-cli',
  'cursor-agent': 'cursor',
  'cursor-cli': 'cursor',
  devin: 'windsurf',
  droid: 'factory-droid',
  factory: 'factory-droid',
  'gemini-cli': 'gemini',
  'github-copilot': 'copilot-cli',
  'github-copilot-cli': 'copilot-cli',
  grok: 'grok-build',
  'kilo-code': 'kilo',
  kilocode: 'kilo',
  kimi: 'kimi-code',
  'kiro-cli': 'kiro',
  lmstudio: 'lm-studio',
  mastra: 'mastra-code',
  mastracode: 'mastra-code',
  mink: 'chimera-mink',
  'oh-my-pi': 'omp',
  'openai-codex': 'codex',
  otter: 'chimera-otter',
  'pi-agent': 'pi',
  q: 'amazon-q',
  'q-cli': 'amazon-q',
  'qoder-cli': 'qoder',
  qodercli: 'qoder',
  'qwen-code': 'qwen',
  'roo-cline': 'roo',
  'roo-code': 'roo',
  roocode: 'roo',
  'visual-studio-code': 'vscode',
  'vs-code': 'vscode',
  'vscode-insiders': 'vscode',
};

/** Finds the agent for any of its names. Ignores case and treats whitespace and underscores as hyphens. */
export function agentIdOf(word: string): AgentId | undefined {
  const plain = word
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, '-');
  if (isAgentId(plain)) return plain;
  return Object.hasOwn(aliases, plain) ? aliases[plain] : undefined;
}
