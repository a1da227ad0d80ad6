/** Which command lines let the folder they start in choose the code. */

import { describe, expect, test } from 'vitest';

import { splitWords } from '../kernel/shell-words.ts';
import { folderChoosesCode } from './folder-choice.ts';

function chooses(line: string): boolean {
  const [command = '', ...args] = splitWords(line) ?? [];
  return folderChoosesCode(command, args);
}

describe('T28: the folder chooses the code of', () => {
  test.each([
    'npx -y x',
    'npm exec x',
    'npm --prefix /x exec y',
    'pnpm --silent dlx x',
    'pnpm exec x',
    'yarn exec x',
    'uv --quiet tool run x',
    'bun x y',
    'bun run /srv/server.ts',
    'opencode x y',
    'deno run -A npm:x',
    'uv run server.py',
    'uv --python 3.12 run x',
    'uv run --quiet x --directory /y',
    'uv run --project /x -m y',
    'uv run --project=/x python -m y',
    'uv run --project /x --module=y',
    'poetry run x',
    'python3 -m x',
    'python3.12 -u -W ignore -mx',
    'py -3 -m x',
    'C:\\\\Python\\\\PYTHON.EXE -Bum x',
    'python -c "import x"',
    'node /usr/lib/node_modules/npm/bin/npx-cli.js -y x',
    'node --no-warnings C:\\\\npm\\\\npm-cli.js exec x',
    'node --import tsx /srv/server.ts',
    'node --require=@scope/x /srv/server.js',
  ])('%s', (line) => {
    expect(chooses(line)).toBe(true);
  });

  test.each([
    'env A=1 npx -y x',
    '/usr/bin/env -u B -S "A=1 npx -y x"',
    'cmd /c npx -y x',
    'cmd.exe /d /s /c "C:\\\\node\\\\npx.cmd -y x"',
    'sh -c "npx -y x"',
    'bash -lc "exec npx -y x"',
    'zsh -c "A=1; cd /x && python3 -m y"',
    `sh -c "bash -c 'npx -y x'"`,
    'op run --env-file=e -- npx x',
    'mise exec node@22 -- npx x',
    'mise x -- uvx x',
    'dotenvx run -- npx x',
    'doppler run -- npx x',
    'infisical run -- npx x',
    'direnv exec /x npx y',
    'nice -n 5 npx x',
    'timeout 60 npx x',
    'xvfb-run -a npx x',
    'env A=1 nice timeout 3 python -m x',
  ])('what stands behind a wrapper: %s', (line) => {
    expect(chooses(line)).toBe(true);
  });
});

test.each([
  'node server.js',
  'node --import ./hooks.mjs server.js',
  'node -r /srv/hooks.js server.js',
  'node -r',
  'node -e "process.stdin.resume()"',
  'node --env-file .env server.js -e x',
  'node /x/npm-cli.js start',
  'pnpm start',
  'pnpm -C /x exec y',
  'yarn --cwd=/x exec y',
  'uv --directory /x run y',
  'uv run --with a --directory /x python -m y',
  'uv run --project /x y',
  'uv pip install',
  'pipx list',
  'poetry -C /x run y',
  'python server.py -m x',
  'python -I -m x',
  'python -Pm x',
  'python',
  'bun run ./server.ts',
  'bun',
  'deno run server.ts',
  'docker run --rm npx',
  'env A=1 node server.js',
  'sh -c "exec /srv/server --flag"',
  '',
])('the folder has no say in %j', (line) => {
  expect(chooses(line)).toBe(false);
});
