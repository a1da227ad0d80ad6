/** Homes full of config files to measure with. */

import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

const jsonFiles: readonly (readonly [file: string, key: string])[] = [
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

export interface BenchHome extends AsyncDisposable {
  readonly home: string;
  readonly files: number;
}

/** Twenty agents' files (18 JSON, one TOML, one YAML) that share `servers` servers. */
export async function createHome(servers: number): Promise<BenchHome> {
  const home = await fs.mkdtemp(path.join(os.tmpdir(), 'holt-bench-'));
  const files = jsonFiles.length + 2;
  const share = (index: number): number => Math.floor(servers / files) + (index < servers % files ? 1 : 0);
  const entry = (name: string): object => ({
    command: 'npx',
    args: ['-y', `@acme/${name}-mcp@1.2.3`, '--root', `/srv/${name}`],
    env: { API_KEY: '${API_KEY}', LEVEL: 'info' },
  });
  for (const [index, [file, key]] of jsonFiles.entries()) {
    const map = Object.fromEntries(
      Array.from({ length: share(index) }, (_, at) => [`s${index}-${at}`, entry(`s${index}-${at}`)]),
    );
    await write(path.join(home, file), JSON.stringify({ [key]: map }, undefined, 2));
  }
  const toml = Array.from(
    { length: share(18) },
    (_, at) => `[mcp_servers.t${at}]\ncommand = "npx"\nargs = ["-y", "t${at}"]\n`,
  );
  await write(path.join(home, '.codex/config.toml'), toml.join('\n'));
  const yaml = Array.from(
    { length: share(19) },
    (_, at) =>
      `  y${at}:\n    enabled: true\n    type: stdio\n    name: y${at}\n    cmd: uvx\n    args: [y${at}-mcp]\n`,
  );
  await write(path.join(home, '.config/goose/config.yaml'), `extensions:\n${yaml.join('')}`);
  return { home, files, [Symbol.asyncDispose]: () => fs.rm(home, { recursive: true, force: true }) };
}

async function write(file: string, text: string): Promise<void> {
  await fs.mkdir(path.dirname(file), { recursive: true });
  await fs.writeFile(file, text);
}
