/** Homes full of config files to measure with: JSON, TOML and YAML, and a project. */

import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

type JsonFile = readonly [file: string, key: string];

const jsonFiles: readonly JsonFile[] = [
  ['.claude.json', 'mcpServers'],
  ['.cursor/mcp.json', 'mcpServers'],
  ['.codeium/windsurf/mcp_config.json', 'mcpServers'],
  ['.config/Code/User/mcp.json', 'servers'],
  ['.copilot/mcp-config.json', 'mcpServers'],
  ['.config/zed/settings.json', 'context_servers'],
  ['.cline/data/settings/cline_mcp_settings.json', 'mcpServers'],
  ['.gemini/settings.json', 'mcpServers'],
  ['.qwen/settings.json', 'mcpServers'],
  ['.config/amp/settings.json', 'amp.mcpServers'],
  ['.kiro/settings/mcp.json', 'mcpServers'],
  ['.aws/amazonq/mcp.json', 'mcpServers'],
  ['.factory/mcp.json', 'mcpServers'],
  ['.lmstudio/mcp.json', 'mcpServers'],
  ['.junie/mcp/mcp.json', 'mcpServers'],
  ['.holt/mcp.json', 'mcpServers'],
  ['.omp/mcp.json', 'mcpServers'],
  ['.config/Claude/claude_desktop_config.json', 'mcpServers'],
];

/** Files of the project; the first is read by several agents. */
const projectFiles: readonly JsonFile[] = [
  ['.mcp.json', 'mcpServers'],
  ['.cursor/mcp.json', 'mcpServers'],
  ['.vscode/mcp.json', 'servers'],
];

export interface BenchHome extends AsyncDisposable {
  readonly home: string;
  readonly project: string;
  /** How many files define servers. */
  readonly files: number;
}

/** Twenty agents' files (18 JSON, one TOML, one YAML) and a project's three, which share `servers` servers. */
export async function createHome(servers: number): Promise<BenchHome> {
  const home = await fs.mkdtemp(path.join(os.tmpdir(), 'holt-bench-'));
  const project = path.join(home, 'project');
  await fs.mkdir(path.join(project, '.git'), { recursive: true });
  const files = jsonFiles.length + 2 + projectFiles.length;
  const namesFor = (index: number): readonly string[] => {
    const count = Math.floor(servers / files) + (index < servers % files ? 1 : 0);
    return Array.from({ length: count }, (_, at) => `s${index}-${at}`);
  };
  const inHome = jsonFiles.map(([file, key]) => [path.join(home, file), key] as const);
  const inProject = projectFiles.map(([file, key]) => [path.join(project, file), key] as const);
  for (const [index, [file, key]] of [...inHome, ...inProject].entries()) {
    const map = Object.fromEntries(namesFor(index).map((name) => [name, entryOf(name)]));
    await write(file, JSON.stringify({ [key]: map }, undefined, 2));
  }
  await write(path.join(home, '.codex/config.toml'), tomlOf(namesFor(files - 2)));
  await write(path.join(home, '.config/goose/config.yaml'), yamlOf(namesFor(files - 1)));
  return { home, project, files, [Symbol.asyncDispose]: () => fs.rm(home, { recursive: true, force: true }) };
}

function entryOf(name: string): object {
  return {
    command: 'npx',
    args: ['-y', `@acme/${name}-mcp@1.2.3`, '--root', `/srv/${name}`],
    env: { API_KEY: '${API_KEY}', LEVEL: 'info' },
  };
}

function tomlOf(names: readonly string[]): string {
  return names.map((name) => `[mcp_servers.${name}]\ncommand = "npx"\nargs = ["-y", "${name}"]\n`).join('\n');
}

function yamlOf(names: readonly string[]): string {
  const entries = names.map(
    (name) =>
      `  ${name}:\n    enabled: true\n    type: stdio\n    name: ${name}\n    cmd: uvx\n    args: [${name}-mcp]\n`,
  );
  return `extensions:\n${entries.join('')}`;
}

async function write(file: string, text: string): Promise<void> {
  await fs.mkdir(path.dirname(file), { recursive: true });
  await fs.writeFile(file, text);
}
