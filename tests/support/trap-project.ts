/** A project with one entry in each of ten dialects; each would create a file if it ran. */

import { readdir } from 'node:fs/promises';
import path from 'node:path';

import type { Sandbox } from './holt-command.ts';

/** The entry's name, and the file that says so. */
export const traps = {
  claude: './.mcp.json',
  cursor: './.cursor/mcp.json',
  vscode: './.vscode/mcp.json',
  codex: './.codex/config.toml',
  gemini: './.gemini/settings.json',
  opencode: './opencode.json',
  omp: './.omp/mcp.json',
  kilo: './.kilocode/mcp.json',
  roo: './.roo/mcp.json',
  holt: './.holt/mcp.json',
} as const;
export type Trap = keyof typeof traps;
export const trapNames = Object.keys(traps) as readonly Trap[]; // the keys are literal, three lines above

export async function plantTraps(sandbox: Sandbox): Promise<void> {
  const text = (name: Trap): string => {
    const file = path.join(sandbox.project, `ran-${name}`);
    if (name === 'codex') return `[mcp_servers.codex]\ncommand = "touch"\nargs = [${JSON.stringify(file)}]\n`;
    if (name === 'opencode')
      return JSON.stringify({ mcp: { opencode: { type: 'local', command: ['touch', file] } } });
    const entry = { command: 'touch', args: [file], env: { T: `!touch ${file}-value` } };
    return JSON.stringify({ [name === 'vscode' ? 'servers' : 'mcpServers']: { [name]: entry } });
  };
  await Promise.all(trapNames.map((name) => sandbox.write(traps[name], text(name))));
}

/** Which of them ran. */
export async function sprung({ project }: Sandbox): Promise<readonly string[]> {
  return (await readdir(project)).filter((name) => name.startsWith('ran-')).toSorted();
}
