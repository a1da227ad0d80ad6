/**
 * A user's project: the packed package with the dependencies that the root's lock names, in an empty folder. Nothing is
 * downloaded, so the result depends only on this tree.
 */

import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';

const folder = import.meta.dirname;
export const root = path.join(folder, '..', '..');

export function makeProject(project) {
  const modules = path.join(project, 'node_modules');
  const installed = path.join(modules, 'holt');
  mkdirSync(installed, { recursive: true });
  const packed = JSON.parse(
    must('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', project], root),
  );
  const [{ filename }] = Object.values(packed);
  must('tar', ['-xzf', path.join(project, filename), '--strip-components=1', '-C', installed], project);
  const listed = must('npm', ['ls', '--omit=dev', '--all', '--parseable'], root).trim().split('\n');
  for (const dependency of listed.filter((name) => name.includes('node_modules')))
    cpSync(dependency, path.join(project, path.relative(root, dependency)), { recursive: true });
  writeFileSync(
    path.join(project, 'package.json'),
    '{ "name": "project", "private": true, "type": "module" }\n',
  );
  cpSync(path.join(folder, 'program.mjs'), path.join(project, 'program.js'));
  return { project, installed, server: path.join(installed, 'dist', 'example-server', 'server.js') };
}

/** A home with a server in each kind of config file. */
export function makeHome(home) {
  const files = {
    '.codex/config.toml': '[mcp_servers.one]\ncommand = "one"\n',
    '.config/goose/config.yaml': 'extensions:\n  two:\n    type: stdio\n    cmd: two\n    enabled: true\n',
    '.cursor/mcp.json': '{ "mcpServers": { "three": { "command": "three" } } }\n',
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
    writeFileSync(path.join(home, name), text);
  }
}

/** The example server over HTTP: every request is answered by a process of its own. */
export async function serveExample(server) {
  const http = createServer((request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    const pieces = [];
    request.on('data', (piece) => pieces.push(piece));
    request.on('end', () => {
      const child = execFile(process.execPath, [server], (_, stdout) => {
        response.writeHead(stdout === '' ? 202 : 200, { 'content-type': 'application/json' }).end(stdout);
      });
      child.stdin.end(`${Buffer.concat(pieces).toString('utf8')}\n`);
    });
  });
  await new Promise((resolve) => {
    http.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${http.address().port}/mcp`,
    close: () => {
      http.closeAllConnections();
      http.close();
    },
  };
}

function must(command, args, cwd) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`);
  return stdout;
}
