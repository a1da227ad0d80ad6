/**
 * Follows the README word for word in a fresh clone and an empty home, and fails on the first thing that does not work
 * as written: `node scripts/first-hour.mjs`. With `--tree` it takes the files as they stand here, committed or not; with
 * `--all` it runs `npm test` as well, which otherwise has a step of its own.
 *
 * Each line of a `sh` block is a command and must succeed, or end as its remark says. A `text` block after it is what the
 * block printed, in this order; `…` stands for anything.
 */

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const takesTree = process.argv.includes('--tree');
const takesAll = process.argv.includes('--all');

const folder = mkdtempSync(path.join(os.tmpdir(), 'holt-first-hour-'));
try {
  const failure = follow();
  if (failure === undefined) say('The README works as written.');
  else {
    say(failure);
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function follow() {
  const clone = path.join(folder, 'holt');
  makeClone(clone);
  const place = { cwd: clone, env: newcomer() };
  const blocks = readBlocks(readFileSync(path.join(clone, 'README.md'), 'utf8'));
  if (blocks.length === 0) return 'README.md has no sh blocks to follow.';
  for (const block of blocks) {
    let printed = '';
    for (const line of block.lines) {
      if (line === 'npm test' && !takesAll) continue;
      say(`$ ${line}`);
      const { output, code } = run(line, place);
      printed += output;
      const expected = Number(/# ends with exit code (\d+)/.exec(line)?.[1] ?? 0);
      if (code !== expected)
        return `README.md:${block.at}: "${line}" ended with ${code}, not ${expected}:\n${output}`;
    }
    const missing = firstMissing(block.expected, printed);
    if (missing !== undefined)
      return `README.md:${block.at}: the line\n  ${missing}\nis not in what was printed:\n${printed}`;
  }
  return undefined;
}

function makeClone(clone) {
  if (!existsSync(path.join(root, '.git'))) {
    // Files without their history, as from an archive.
    cpSync(root, clone, {
      recursive: true,
      filter: (name) => !/(^|[/\\])(node_modules|dist|coverage)$/.test(name),
    });
    return;
  }
  if (!takesTree) {
    // Whoever checks this may not be who checked it out.
    const trust = ['-c', `safe.directory=${root}`, '-c', `safe.directory=${path.join(root, '.git')}`];
    must('git', [...trust, 'clone', '--quiet', '--no-local', root, clone], folder);
    return;
  }
  mkdirSync(clone);
  const names = must('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], root).split(
    '\0',
  );
  for (const name of names.filter((one) => one !== ''))
    cpSync(path.join(root, name), path.join(clone, name), { recursive: true, force: true });
}

/** Nothing of whoever runs this but the way to programs and to packages. */
function newcomer() {
  const home = path.join(folder, 'home');
  const prefix = path.join(home, '.npm-global');
  mkdirSync(prefix, { recursive: true });
  const npm = (name) => must('npm', ['config', 'get', name], root).trim();
  const passed = Object.entries(process.env).filter(([name]) =>
    /^(?:https?_proxy|no_proxy|node_extra_ca_certs)$/i.test(name),
  );
  return {
    ...Object.fromEntries(passed),
    HOME: home,
    PATH: [path.join(prefix, 'bin'), process.env.PATH].join(path.delimiter),
    LANG: 'C.UTF-8',
    npm_config_prefix: prefix,
    npm_config_cache: npm('cache'),
    npm_config_registry: npm('registry'),
    npm_config_update_notifier: 'false',
  };
}

function readBlocks(text) {
  const blocks = [];
  for (const match of text.matchAll(/^```(sh|text)\n([^]*?)^```$/gm)) {
    const [, kind, content = ''] = match;
    const lines = content.trimEnd().split('\n');
    if (kind === 'sh')
      blocks.push({ at: text.slice(0, match.index).split('\n').length, lines, expected: [] });
    else blocks.at(-1).expected = lines.filter((line) => line !== '');
  }
  return blocks;
}

/** One after the other as in one shell: the folder stays where `cd` left it. */
function run(line, place) {
  const mark = `folder ${path.basename(folder)} `;
  const script = `exec 2>&1\n${line}\ncode=$?\nprintf '\\n${mark}%s' "$PWD"\nexit $code\n`;
  const { stdout, status } = spawnSync('sh', ['-c', script], {
    cwd: place.cwd,
    env: place.env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1 << 28,
  });
  const end = stdout.lastIndexOf(`\n${mark}`);
  if (end !== -1) place.cwd = stdout.slice(end + mark.length + 1);
  return { output: end === -1 ? stdout : stdout.slice(0, end), code: status };
}

function firstMissing(expected, printed) {
  const lines = printed.split('\n').map(plain);
  let from = 0;
  for (const wanted of expected) {
    const pattern = new RegExp(`^${plain(wanted).split(/ ?… ?/).map(escape).join('.*')}$`);
    const at = lines.findIndex((line, index) => index >= from && pattern.test(line));
    if (at === -1) return wanted;
    from = at + 1;
  }
  return undefined;
}

/** Columns are as wide as what stands in them. */
function plain(line) {
  return line.trim().replaceAll(/\s+/g, ' ');
}

function escape(text) {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}

function must(command, args, cwd) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${stderr}`);
  return stdout;
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
