'use strict';
// Compiles the bundles once and keeps the results beside them, after a hash that the boot file checks.
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const Module = require('node:module');
const os = require('node:os');
const path = require('node:path');
const vm = require('node:vm');

const dist = process.argv[2];
const scripts = new Map();
const exportsOf = new Map();

function load(name) {
  if (!exportsOf.has(name)) exportsOf.set(name, compile(name));
  return exportsOf.get(name);
}

function compile(name) {
  const bundle = path.join(dist, 'bundle', name);
  const source = fs.readFileSync(bundle);
  const script = new vm.Script(source.toString('latin1'), { filename: bundle });
  scripts.set(bundle, { script, source });
  const loaded = { exports: {} };
  const outside = Module.createRequire(bundle);
  const inside = (id) => (/^\.\/[a-z]+\.cjs$/.test(id) ? load(id.slice(2)) : outside(id));
  script.runInThisContext()(loaded.exports, inside, loaded, bundle, path.dirname(bundle));
  return loaded.exports;
}

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'holt-build-'));
main().then(
  () => fs.rmSync(home, { recursive: true, force: true }),
  (error) => {
    console.error(error);
    process.exitCode = 1;
  },
);

async function main() {
  // A run through the usual commands first, so that the functions they need are in the cache as well.
  await warm(load('holt.cjs'), [
    ['list'],
    ['list', '--json'],
    // The second time there is something to compare with.
    ['status', 'f', '--json'],
    ['status', 'f', '--json'],
    ['status', 'example', '--example'],
    ['call', 'example.add', 'a=1', 'b=2', '--example'],
  ]);
  // What no warming command reached is compiled all the same.
  for (const name of fs.readdirSync(path.join(dist, 'bundle'))) if (name.endsWith('.cjs')) load(name);
  for (const [bundle, { script, source }] of scripts) {
    const cachedData = script.createCachedData();
    const hash = createHash('sha256').update(process.version).update(source).update(cachedData).digest();
    fs.writeFileSync(bundle + '.cache', Buffer.concat([hash, cachedData]));
  }
}

/** A server of the kind there are most of: it knows nothing of the newest protocol. */
function plainServer() {
  const inputSchema = { type: 'object', properties: { text: { type: 'string' } } };
  const results = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'plain', version: '1' },
    },
    'tools/list': { tools: [{ name: 'say', description: 'Says a text', inputSchema }] },
  };
  const lines = require('node:readline').createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (id === undefined) return;
    const result = results[method];
    const answer = result === undefined ? { error: { code: -32601, message: 'no such method' } } : { result };
    console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });
}

async function warm({ start }, commands) {
  const files = {
    '.codex/config.toml': '[mcp_servers.a]\ncommand = "a"\n',
    '.config/goose/config.yaml': 'extensions:\n  b: { enabled: true, type: stdio, cmd: b }\n',
    '.claude.json': '{"mcpServers":{"c":{"command":"c","args":["x"],"env":{"T":"${T}"}}}}',
    '.cursor/mcp.json': '{"mcpServers":{"d":{"url":"https://d.test/mcp","headers":{"A":"${env:A}"}}}}',
  };
  const program = { command: process.execPath, args: ['-e', `(${plainServer.toString()})()`] };
  files['.holt/mcp.json'] = JSON.stringify({ mcpServers: { f: program } });
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
    fs.writeFileSync(path.join(home, name), text);
  }
  const { argv, stdout, stderr } = process;
  const writes = [stdout.write, stderr.write];
  stdout.write = () => true;
  stderr.write = () => true;
  for (const words of commands) {
    process.argv = [argv[0], argv[1], ...words, '--home', home, '--cwd', home];
    await start({ version: '0', distFolder: dist });
  }
  process.argv = argv;
  [stdout.write, stderr.write] = writes;
  process.exitCode = 0;
}
