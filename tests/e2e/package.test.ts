/** The packed package, installed in an empty folder and used as a newcomer would. */

import { execFile } from 'node:child_process';
import fsSync from 'node:fs';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { packageRoot } from '../support/holt-command.ts';

const run = promisify(execFile);
interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
}

let folder = '';
let installed = '';
let packed: Packed | undefined;

beforeAll(async () => {
  folder = await fs.mkdtemp(path.join(os.tmpdir(), 'holt-pack-'));
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: packageRoot,
  });
  [packed] = Object.values(JSON.parse(stdout) as readonly Packed[] | Record<string, Packed>);
  // Unpacked beside the dependencies that are here already: no download, the same files.
  await fs.mkdir(path.join(folder, 'node_modules', 'holt'), { recursive: true });
  await run('tar', [
    '-xzf',
    path.join(folder, packed?.filename ?? ''),
    '--strip-components=1',
    '-C',
    path.join(folder, 'node_modules', 'holt'),
  ]);
  installed = path.join(folder, 'node_modules', 'holt');
  await fs.symlink(path.join(packageRoot, 'node_modules'), path.join(installed, 'node_modules'));
  await fs.mkdir(path.join(folder, 'home'));
  await fs.writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
});
afterAll(() => fs.rm(folder, { recursive: true, force: true }));

const environment = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'] ?? '',
  HOME: path.join(folder, 'home'),
});

const distFiles = (): Promise<string[]> => fs.readdir(path.join(installed, 'dist'), { recursive: true });

async function sizeOf(dependency: string): Promise<number> {
  const entries = await fs.readdir(dependency, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map((file) => fs.stat(path.join(file.parentPath, file.name))));
  return sizes.reduce((sum, { size }) => sum + size, 0);
}

describe('the package', () => {
  test('contains the build and the documents of a package, and no caches, maps or tests', async () => {
    expect((await fs.readdir(installed)).toSorted()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'dist',
      'node_modules',
      'package.json',
    ]);
    expect((await distFiles()).filter((name) => /\.test\.|\.cache$|\.map$/.test(name))).toEqual([]);
  });

  test('stays small: packed, unpacked, and installed with its dependencies', async () => {
    const { size = Infinity, unpackedSize = Infinity } = packed ?? {};
    const { stdout } = await run('npm', ['ls', '--omit=dev', '--all', '--parseable'], { cwd: packageRoot });
    const dependencies = stdout.split('\n').filter((name) => name.includes('node_modules'));
    const sizes = await Promise.all(dependencies.map(sizeOf));
    const installedSize = sizes.reduce((sum, bytes) => sum + bytes, unpackedSize);
    expect({ size, limit: size <= 1_100_000 }).toEqual({ size, limit: true });
    expect({ unpackedSize, limit: unpackedSize <= 3_600_000 }).toEqual({ unpackedSize, limit: true });
    expect({ installedSize, limit: installedSize <= 15_000_000 }).toEqual({ installedSize, limit: true });
    expect(dependencies.length + 1).toBeLessThanOrEqual(10);
  });

  test('has at most 20 declaration files, none of which imports a package', async () => {
    const declarations = (await distFiles()).filter((name) => name.endsWith('.d.ts'));
    expect(declarations.length).toBeLessThanOrEqual(20);
    const imports = await Promise.all(
      declarations.map(async (name) => {
        const text = await fs.readFile(path.join(installed, 'dist', name), 'utf8');
        const targets = [...text.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)].map(
          (match) => match[1] ?? '',
        );
        return targets.filter((target) => !target.startsWith('.')).map((target) => `${name}: ${target}`);
      }),
    );
    expect(imports.flat()).toEqual([]);
  });

  test('contains code of the listed packages only, and their licenses', async () => {
    const text = await fs.readFile(path.join(installed, 'dist', 'LICENSES.txt'), 'utf8');
    const { bundledPackages } = (await import(path.join(packageRoot, 'scripts', 'bundled-packages.mjs'))) as {
      readonly bundledPackages: readonly string[];
    };
    const licensed = [...text.matchAll(/^(\S+) [\d.]+ \((?:MIT|ISC|Apache-2.0)\)\n\n/gm)];
    expect(licensed.map(([, name]) => name)).toEqual(bundledPackages);
  });

  test('the SDK is inside, and clients are those of the SDK that the program has installed', async () => {
    const library = path.join(installed, 'dist', 'library');
    const texts = await Promise.all(
      (await fs.readdir(library)).map((name) => fs.readFile(path.join(library, name), 'utf8')),
    );
    expect(texts.filter((text) => /from ?"(@modelcontextprotocol|zod|yaml|toml)/.test(text))).toEqual([]);
    const program = `import { ProtocolError } from '@modelcontextprotocol/client';
import { openHost } from 'holt';
const [, , server, tasks] = process.argv;
const [echo, t] = [[server], [tasks]].map((args) => ({ command: process.execPath, args }));
await using host = await openHost({ servers: { echo, t }, policy: { allow: ['mcp__t__work'] } });
await host.connect();
const anything = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } };
const error = await (await host.clients()).echo.request({ method: 'no/such' }, anything).catch((thrown) => thrown);
console.log(error instanceof ProtocolError, error.code);
console.log((await host.call('mcp__t__work', { polls: 1 })).text);
`;
    await fs.writeFile(path.join(folder, 'errors.ts'), program);
    await fs
      .symlink(
        path.join(packageRoot, 'node_modules', '@modelcontextprotocol'),
        path.join(folder, 'node_modules', '@modelcontextprotocol'),
      )
      .catch(() => undefined);
    const loader = path.join(packageRoot, 'node_modules', 'tsx', 'dist', 'esm', 'index.mjs');
    const servers = ['echo.mjs', 'runs-tasks.mjs'].map((name) =>
      path.join(packageRoot, 'tests', 'fixtures', 'servers', name),
    );
    const args = ['--import', loader, path.join(folder, 'errors.ts'), ...servers];
    const { stdout } = await run(process.execPath, args, { env: environment(), cwd: folder });
    expect(stdout).toBe('true -32601\nthe task is done\n');
  });

  test('the library loads the SDK, zod and the parsers of TOML and YAML only when they are needed', async () => {
    const { metafile } = await build({
      entryPoints: [path.join(installed, 'dist', 'index.js')],
      bundle: true,
      splitting: true,
      format: 'esm',
      packages: 'external',
      outdir: 'unused',
      write: false,
      metafile: true,
    });
    const atStart = new Set(Object.keys(metafile.inputs).filter((file) => file.endsWith('dist/index.js')));
    for (const file of atStart)
      for (const { path: target, kind } of metafile.inputs[file]?.imports ?? [])
        if (kind === 'import-statement' && metafile.inputs[target] !== undefined) atStart.add(target);
    const texts = await Promise.all([...atStart].map((file) => fs.readFile(file, 'utf8')));
    const late = /_zod|mcp-session-id|parseTOML|prettyErrors/;
    expect(texts.filter((text) => late.test(text)).map((text) => late.exec(text)?.[0])).toEqual([]);
  });

  test('the library reads every kind of config file', async () => {
    const home = await fs.mkdtemp(path.join(folder, 'home-'));
    const files = {
      '.codex/config.toml': '[mcp_servers.one]\ncommand = "one"\n',
      '.config/goose/config.yaml': 'extensions:\n  two:\n    type: stdio\n    cmd: two\n    enabled: true\n',
      '.cursor/mcp.json': '{ "mcpServers": { "three": { "command": "three" } } }',
    };
    for (const [name, text] of Object.entries(files)) {
      await fs.mkdir(path.dirname(path.join(home, name)), { recursive: true });
      await fs.writeFile(path.join(home, name), text);
    }
    const program = `import { loadServers } from 'holt';
const { servers, problems } = await loadServers({ cwd: process.env.HOME });
console.log(servers.map(({ name }) => name).sort().join(' '), problems.length);`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], {
      env: { ...environment(), HOME: home },
      cwd: folder,
    });
    expect(stdout).toBe('one three two 0\n');
  });

  test('esbuild bundles a program without options, and the bundle runs in an empty folder', async () => {
    const program = `import { openHost } from 'holt';
async function main(command, server) {
  const servers = { example: { command, args: [server] } };
  const host = await openHost({ agents: [], servers, policy: { allow: ['mcp__example'] } });
  console.log((await host.call('mcp__example__add', { a: 2, b: 3 })).text);
  await host.close();
}
void main(process.execPath, process.argv[2]);`;
    const source = path.join(folder, 'bundled.js');
    await fs.writeFile(source, program);
    const empty = await fs.mkdtemp(path.join(os.tmpdir(), 'holt-bundle-'));
    try {
      const bundle = path.join(empty, 'bundled.cjs');
      const esbuild = path.join(packageRoot, 'node_modules', '.bin', 'esbuild');
      const built = await run(esbuild, ['--bundle', '--platform=node', source, `--outfile=${bundle}`]);
      expect(built.stderr).not.toMatch(/warning|error/i);
      const server = path.join(installed, 'dist', 'example-server', 'server.js');
      const { stdout } = await run(process.execPath, [bundle, server], { env: environment(), cwd: empty });
      expect(stdout).toBe('5\n');
    } finally {
      await fs.rm(empty, { recursive: true, force: true });
    }
  });

  test('on a Node that is too old, the command, npm start and npm test name the one that is needed, first of all', async () => {
    const preload = path.join(folder, 'old-node.cjs');
    await fs.writeFile(
      preload,
      "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.8' } });",
    );
    const { scripts } = JSON.parse(await fs.readFile(path.join(packageRoot, 'package.json'), 'utf8')) as {
      readonly scripts: Readonly<Record<'start' | 'test', string>>;
    };
    const firsts = [scripts.start, scripts.test].map((line) => line.split(' && ')[0]?.split(' '));
    expect(firsts).toEqual([
      ['node', 'scripts/check-node.cjs'],
      ['node', 'scripts/check-node.cjs'],
    ]);
    const executable = path.join(installed, 'dist', 'holt.cjs');
    const commands = [
      ['scripts/check-node.cjs'],
      [executable, 'list'],
      [executable, '--version'],
      [executable, '--help'],
    ];
    for (const words of commands) {
      const ended = run(process.execPath, ['-r', preload, ...words], {
        env: environment(),
        cwd: packageRoot,
      });
      await expect(ended).rejects.toMatchObject({
        code: 1,
        stdout: '',
        stderr: 'holt needs Node 20.19 or newer; this is 18.20.8\n',
      });
    }
  });

  test.each(fsSync.readdirSync(path.join(packageRoot, 'examples')))(
    'the example %s runs as it is',
    async (name) => {
      // The one package an example may want besides holt.
      await fs
        .symlink(path.join(packageRoot, 'node_modules', 'ai'), path.join(folder, 'node_modules', 'ai'))
        .catch(() => undefined);
      const example = path.join(folder, name);
      await fs.copyFile(path.join(packageRoot, 'examples', name), example);
      const { stdout } = await run(
        process.execPath,
        [
          '--import',
          path.join(packageRoot, 'node_modules', 'tsx', 'dist', 'esm', 'index.mjs'),
          example,
          '--once',
        ],
        {
          env: environment(),
          cwd: folder,
        },
      );
      expect(stdout.length).toBeGreaterThan(0);
    },
  );

  test('the example server answers in both eras', async () => {
    const server = path.join(installed, 'dist', 'example-server', 'server.js');
    const ask = (message: object): Promise<{ result?: Record<string, unknown> }> =>
      new Promise((resolve, reject) => {
        const child = execFile(process.execPath, [server], (error, stdout) =>
          error === null
            ? resolve(JSON.parse(stdout) as { result?: Record<string, unknown> })
            : reject(error),
        );
        child.stdin?.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, ...message })}\n`);
      });
    const initialized = await ask({ method: 'initialize', params: { protocolVersion: '2025-06-18' } });
    expect(initialized.result?.['protocolVersion']).toBe('2025-06-18');
    const discovered = await ask({ method: 'server/discover', params: {} });
    expect(discovered.result?.['supportedVersions']).toEqual(['2026-07-28']);
  });
});
