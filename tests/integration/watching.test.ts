/** Watching: a change is told once, a half-saved file keeps the last good state, files that appear later are seen. */

import fs from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import { watchServers, type LoadedServers } from '../../src/index.ts';
import { createSandbox } from '../support/holt-command.ts';

/** Collects what is told, and lets a test wait for the next of it. */
function collector(): {
  readonly onChange: (servers: LoadedServers) => void;
  next(): Promise<LoadedServers>;
} {
  const queue: LoadedServers[] = [];
  let wake: (() => void) | undefined;
  return {
    onChange: (servers) => {
      queue.push(servers);
      wake?.();
    },
    next: async () => {
      while (queue.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      const [first] = queue.splice(0, 1);
      if (first === undefined) throw new Error('nothing was told');
      return first;
    },
  };
}

const names = ({ servers }: LoadedServers): readonly string[] => servers.map(({ name }) => name);
const config = (...servers: readonly string[]): string =>
  JSON.stringify({ mcpServers: Object.fromEntries(servers.map((name) => [name, { command: name }])) });

test('files that change, appear, break and go are followed', async () => {
  await using sandbox = await createSandbox();
  const file = await sandbox.write('~/.cursor/mcp.json', config('a'));
  const told = collector();
  const watch = await watchServers({
    cwd: sandbox.project,
    home: sandbox.home,
    env: {},
    quietMs: 20,
    onChange: told.onChange,
  });
  try {
    expect(names(watch.servers)).toEqual(['a']);

    await fs.writeFile(file, config('a', 'b'));
    expect(names(await told.next())).toEqual(['a', 'b']);

    await sandbox.write('~/.kiro/settings/mcp.json', config('late'));
    expect(names(await told.next())).toEqual(['a', 'b', 'late']);

    await fs.writeFile(file, '{"mcpServers":{"a":');
    const broken = await told.next();
    expect(names(broken)).toEqual(['a', 'b', 'late']);
    expect(broken.problems.map(({ code }) => code)).toEqual(['file-syntax']);

    const temporary = path.join(path.dirname(file), 'mcp.json.tmp');
    await fs.writeFile(temporary, config('c'));
    await fs.rename(temporary, file);
    expect(names(await told.next())).toEqual(['c', 'late']);

    await fs.rm(file);
    expect(names(await told.next())).toEqual(['late']);
  } finally {
    watch.close();
  }
});
