/** What holds when many processes edit one file, when they are killed, and when the disk is full. */

import { spawnSync } from 'node:child_process';
import { lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { undoLast } from '../../src/editing/undo.ts';
import { findTarget, type WriteScope } from '../../src/editing/writers.ts';
import { loadRecords } from '../../src/editing/undo/undo-records.ts';
import { parseDocument } from '../../src/documents/parse-document.ts';
import { dig, type DocFormat } from '../../src/documents/tree.ts';
import type { AgentId } from '../../src/kernel/agent-ids.ts';
import type { EditorTask } from '../fixtures/programs/config-editor.ts';
import type { FullDiskReport, FullDiskTask } from '../fixtures/programs/full-disk-editor.ts';
import {
  programFile,
  scaled,
  startCommand,
  startProgram,
  type Program,
} from '../fixtures/programs/start-program.ts';
import { makeEditFixture, type EditFixture } from '../support/edit-fixture.ts';

interface Case {
  /** Processes, and entries of each; five times as many at the full scale. */
  readonly crowd: readonly [processes: number, entries: number];
  readonly agent: AgentId;
  readonly scope: WriteScope;
  readonly key: string;
  readonly text: string;
  readonly comments: readonly string[];
}

const cases: readonly Case[] = [
  {
    crowd: [4, 5],
    agent: 'holt',
    scope: 'project',
    key: 'mcpServers',
    text: '{\n  // top\n  "mcpServers": {\n    // about mine\n    "mine": { "command": "mine" } // beside mine\n  }\n  /* end */\n}\n',
    comments: ['// top', '// about mine', '// beside mine', '/* end */'],
  },
  {
    crowd: [2, 3],
    agent: 'codex',
    scope: 'user',
    key: 'mcp_servers',
    text: '# top\nmodel = "o" # beside\n\n# about mine\n[mcp_servers.mine]\ncommand = "mine"\n\n[other]\nx = 1 # end\n',
    comments: ['# top', '# beside', '# about mine', '# end'],
  },
  {
    crowd: [2, 3],
    agent: 'goose',
    scope: 'user',
    key: 'extensions',
    text: '# top\nextensions:\n  # about mine\n  mine: # beside mine\n    enabled: true\n    type: stdio\n    name: mine\n    cmd: mine\nother: 1 # end\n',
    comments: ['# top', '# about mine', '# beside mine', '# end'],
  },
];

/** What a process is known to have done. The edit it was at when it ended may or may not have happened. */
interface Ledger {
  readonly there: Set<string>;
  readonly gone: Set<string>;
  pending: string | undefined;
}

function note(ledger: Ledger, line: string): void {
  const [word, name = ''] = line.split(' ');
  if (word === 'adding' || word === 'removing') {
    ledger.pending = name;
    return;
  }
  ledger.pending = undefined;
  (word === 'added' ? ledger.there : ledger.gone).add(name);
  if (word === 'removed') ledger.there.delete(name);
}

async function namesIn(file: string, format: DocFormat, key: string): Promise<readonly string[]> {
  const document = await parseDocument(await readFile(file), format);
  if (!document.ok) throw new Error(`${file} does not parse: ${document.message}`);
  const map = dig(document.root, [key]);
  if (map?.kind !== 'object') throw new Error(`${key} is gone`);
  return map.entries.map((entry) => entry.key);
}

/** Many processes on few cores: the more of them, the longer it may take. */
const timeout = scaled(60_000);

describe.each(cases)(
  'many processes and one file of $agent',
  ({ agent, scope, key, text, comments, crowd }) => {
    test(
      'F27: killed at random, the file always parses, keeps its comments and holds what the survivors did',
      { timeout },
      async () => {
        await using fixture = await makeEditFixture();
        const { file, format } = findTarget(agent, scope, fixture.parts);
        await fixture.write(file, text, 0o640);
        const task = {
          home: fixture.machine.homeDir,
          project: fixture.machine.projectRoot,
          agent,
          scope,
          entries: scaled(crowd[1]),
        };
        const count = scaled(crowd[0]);
        const ledgers: Ledger[] = [];

        const run = async (index: number): Promise<void> => {
          const ledger: Ledger = { there: new Set(), gone: new Set(), pending: undefined };
          ledgers.push(ledger);
          await using program = startProgram('config-editor', {
            ...task,
            id: `p${index}`,
          } satisfies EditorTask);
          // Every third one is killed, somewhere within what it does after a random line.
          let linesLeft =
            index % 3 === 0 ? 1 + Math.floor(Math.random() * task.entries * 2) : Number.POSITIVE_INFINITY;
          for await (const line of program.lines()) {
            note(ledger, line);
            await namesIn(file, format, key);
            linesLeft -= 1;
            if (linesLeft === 0) setTimeout(() => program.child.kill('SIGKILL'), Math.random() * 30);
          }
          const { code, signal, stderr } = await program.ended;
          expect([stderr, code === 0 || signal === 'SIGKILL']).toEqual(['', true]);
        };
        await Promise.all(Array.from({ length: count }, (_, index) => run(index)));

        const names = await namesIn(file, format, key);
        const unsure = new Set(ledgers.flatMap(({ pending }) => pending ?? []));
        const expected = ['mine', ...ledgers.flatMap(({ there }) => [...there])].filter(
          (name) => !unsure.has(name),
        );
        expect(names.filter((name) => !unsure.has(name)).toSorted()).toEqual(expected.toSorted());
        const after = await readFile(file, 'utf8');
        expect(comments.filter((comment) => !after.includes(comment))).toEqual([]);
        expect((await lstat(file)).mode & 0o777).toBe(0o640);
        await settle(fixture, file);
      },
    );

    test(
      'killed again and again, undoing everything gives the file back byte for byte',
      { timeout },
      async () => {
        await using fixture = await makeEditFixture();
        const { file } = findTarget(agent, scope, fixture.parts);
        await fixture.write(file, text);
        const task = {
          home: fixture.machine.homeDir,
          project: fixture.machine.projectRoot,
          agent,
          scope,
          entries: 12,
        };
        for (let round = 0; round < Math.min(scaled(3), 6); round += 1) {
          await using program = startProgram('config-editor', {
            ...task,
            id: `r${round}`,
          } satisfies EditorTask);
          await killAfter(program, 1 + Math.floor(Math.random() * 12));
        }
        expect((loadRecords(fixture.machine, fixture.parts.files) ?? []).length).toBeGreaterThan(0);
        for (;;) {
          const undone = await undoLast(fixture.parts).catch((error: { code?: string }) => error);
          if ('code' in undone) {
            expect(undone.code).toBe('undo-empty');
            break;
          }
        }
        expect(await readFile(file, 'utf8')).toBe(text);
        expect((await readdir(fixture.place('~/.holt/undo'))).toSorted()).toEqual(['index.json']);
      },
    );
  },
);

async function killAfter(program: Program, lines: number): Promise<void> {
  for (let heard = 0; heard < lines; heard += 1) await program.nextLine();
  setTimeout(() => program.child.kill('SIGKILL'), Math.random() * 30);
  const ending = await program.ended;
  expect([ending.stderr, ending.code === 0 || ending.signal === 'SIGKILL']).toEqual(['', true]);
}

/** One more edit tidies up what the dead left behind. */
async function settle(fixture: EditFixture, file: string): Promise<void> {
  await undoLast(fixture.parts);
  const isLeftover = (name: string): boolean => name.endsWith('.tmp');
  const leftovers = [
    ...(await readdir(path.dirname(file))),
    ...(await readdir(fixture.place('~/.holt/undo'))),
  ];
  expect(leftovers.filter(isLeftover)).toEqual([]);
}

describe('a full disk', () => {
  /** A little under 81 blocks of 512 bytes. */
  const initial = `{\n  "mcpServers": {}, "padding": "${'x'.repeat(41_410)}"\n}\n`;

  const attempt = async (kind: 'project' | 'home'): Promise<FullDiskReport> => {
    await using fixture = await makeEditFixture();
    const { homeDir: home, projectRoot: project } = fixture.machine;
    const small = smallDisk(kind === 'project' ? project : home, kind);
    const file = path.join(project, '.holt', 'mcp.json');
    await mkdir(path.dirname(file));
    await writeFile(file, initial);
    const task: FullDiskTask = {
      home,
      project,
      initial,
      ...(small.fills && kind === 'home' ? { fill: home } : {}),
    };
    const taskFile = path.join(fixture.folder, 'task.json');
    await writeFile(taskFile, JSON.stringify(task));
    const command = [...small.command, process.execPath, programFile('full-disk-editor'), taskFile];
    await using running = startCommand(command);
    const report: FullDiskReport = JSON.parse(await running.nextLine());
    expect(report.outcome).toBe(small.reason);
    return report;
  };

  test('where the file is leaves the old file intact, and nothing beside it', async () => {
    expect(await attempt('project')).toMatchObject({ isUntouched: true, names: ['mcp.json'] });
  });

  test('where the previous content would be stored leaves the old file, too', async () => {
    expect(await attempt('home')).toMatchObject({ isUntouched: true, names: ['mcp.json'] });
  });
});

interface SmallDisk {
  readonly command: readonly string[];
  readonly reason: string;
  readonly fills: boolean;
}

/** Runs a command where `place` is a disk of 64 kB; where that needs rights we lack, its files are limited instead. */
function smallDisk(place: string, kind: 'project' | 'home'): SmallDisk {
  const isRoot = process.getuid?.() === 0;
  const mounting = 'mount -t tmpfs -o size=64k tmpfs "$0" && exec "$@"';
  const unshare = ['unshare', '--mount', ...(isRoot ? [] : ['--map-root-user'])];
  const command = [...unshare, 'sh', '-c', mounting, place];
  const isPossible = spawnSync(command[0] ?? '', [...command.slice(1), 'true']).status === 0;
  if (isPossible) return { command, reason: 'ENOSPC', fills: true };
  // Blocks of 512 bytes: room for the old content and not for the new one, or not even for a copy of the old.
  const blocks = kind === 'project' ? 81 : 80;
  return { command: ['sh', '-c', `ulimit -f ${blocks} && exec "$@"`, 'sh'], reason: 'EFBIG', fills: false };
}
