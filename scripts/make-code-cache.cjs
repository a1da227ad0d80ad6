'use strict';
// Compiles the bundle once and keeps the result beside it, after a hash that the boot file checks.
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const vm = require('node:vm');

const bundle = process.argv[2];
const source = fs.readFileSync(bundle);
const script = new vm.Script(Module.wrap(source.toString('latin1')), { filename: bundle });
const loaded = { exports: {} };
script.runInThisContext()(loaded.exports, Module.createRequire(bundle), loaded, bundle, path.dirname(bundle));

// A run through the usual commands first, so that the functions they need are in the cache as well.
const { mkdtempSync, rmSync } = fs;
const home = mkdtempSync(path.join(require('node:os').tmpdir(), 'holt-build-'));
warm()
  .then(() => {
    const cachedData = script.createCachedData();
    const hash = createHash('sha256').update(process.version).update(source).update(cachedData).digest();
    fs.writeFileSync(bundle + '.cache', Buffer.concat([hash, cachedData]));
  })
  .finally(() => rmSync(home, { recursive: true, force: true }));

async function warm() {
  const write = process.stdout.write;
  process.stdout.write = () => true;
  const files = {
    '.codex/config.toml': '[mcp_servers.a]\ncommand = "a"\n',
    '.config/goose/config.yaml': 'extensions:\n  b: { enabled: true, type: stdio, cmd: b }\n',
    '.claude.json': '{"mcpServers":{"c":{"command":"c","args":["x"],"env":{"T":"${T}"}}}}',
    '.cursor/mcp.json': '{"mcpServers":{"d":{"url":"https://d.test/mcp","headers":{"A":"${env:A}"}}}}',
  };
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
    fs.writeFileSync(path.join(home, name), text);
  }
  const argv = process.argv;
  for (const words of [['list'], ['list', '--json'], ['doctor'], []]) {
    process.argv = [argv[0], argv[1], ...words, '--home', home, '--cwd', home];
    await loaded.exports.start({ version: '0', packageFolder: path.dirname(path.dirname(path.dirname(bundle))) });
  }
  process.argv = argv;
  process.stdout.write = write;
  process.exitCode = 0;
}
