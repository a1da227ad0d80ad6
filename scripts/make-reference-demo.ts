/** A small home for the commands in the documents: three agents' files, one program, one project. The documents show real output from it. */

import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { randomBytes } from 'node:crypto';

const root = path.dirname(import.meta.dirname);

/** What readers see in place of the temporary folder. Of one length, so that columns stay where they are. */
const shownHome = '/home/ada';

export interface Demo extends AsyncDisposable {
  readonly home: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs a line of a shell, after one that ended with `before`, and gives everything it printed, as readers may see it. */
  run(line: string, before?: number): Promise<{ readonly output: string; readonly code: number }>;
  readerText(text: string): string;
}

const files: Readonly<Record<string, string>> = {
  '.cursor/mcp.json': `{
  "mcpServers": {
    "notes": { "command": "notes-server", "env": { "NOTES_KEY": "\${NOTES_KEY}" } },
    "wiki": { "url": "https://wiki.example/mcp" }
  }
}
`,
  '.codex/config.toml': `[mcp_servers.notes]
command = "notes-server"
args = ["--read-only"]
`,
  'shop/.vscode/mcp.json': `{
  // what this project brings along
  "servers": {
    "build": { "command": "notes-server", "args": ["--project"] }
  }
}
`,
  'bin/holt': `#!/bin/sh\nexec node "${path.join(root, 'dist', 'holt.cjs')}" "$@"\n`,
  'bin/notes-server': `#!/bin/sh\nexec node "${path.join(root, 'dist', 'example-server', 'server.js')}"\n`,
};

export function createDemo(): Demo {
  const home = freshFolder();
  const project = path.join(home, 'shop');
  mkdirSync(path.join(project, '.git'), { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
    writeFileSync(path.join(home, name), content);
  }
  for (const name of ['holt', 'notes-server']) chmodSync(path.join(home, 'bin', name), 0o755);
  const search = `${path.join(home, 'bin')}${path.delimiter}${process.env['PATH'] ?? ''}`;
  const env = { HOME: home, PATH: search, LANG: 'C.UTF-8', NOTES_KEY: 'k' };
  const readerText = (text: string): string =>
    text.replaceAll(home, shownHome).replaceAll(path.join(root, 'dist'), '/opt/holt/dist');
  return {
    home,
    project,
    env,
    readerText,
    run: (line, before = 0) =>
      new Promise((resolve) => {
        const script = `exec 2>&1\n(exit ${before})\n${line}\n`;
        const child = execFile('sh', ['-c', script], { cwd: project, env }, (error, output) => {
          const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
          resolve({ output: readerText(output), code });
        });
        child.stdin?.end();
      }),
    [Symbol.asyncDispose]: () => {
      rmSync(home, { recursive: true, force: true });
      return Promise.resolve();
    },
  };
}

function freshFolder(): string {
  const home = `/tmp/${randomBytes(2).toString('hex')}`;
  if (existsSync(home)) return freshFolder();
  mkdirSync(home, { mode: 0o700 });
  return home;
}
