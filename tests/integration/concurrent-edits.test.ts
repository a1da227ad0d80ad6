/** Many holt processes and an editor that rewrites the file in place, at the same time, with holt killed at random. */

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import { findTarget } from '../../src/editing/writers.ts';
import type { EditorTask } from '../fixtures/programs/config-editor.ts';
import type { InPlaceTask, Rewrite } from '../fixtures/programs/in-place-editor.ts';
import { scaled, startProgram } from '../fixtures/programs/start-program.ts';
import { makeEditFixture, type EditFixture } from '../support/edit-fixture.ts';

/** An edit that holt reported as done, and the time it happened in. */
interface DoneEdit {
  readonly kind: 'added' | 'removed';
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

interface Ledger {
  readonly done: readonly DoneEdit[];
  /** The entry whose edit was cut off by a kill. */
  readonly pending: string | undefined;
}

async function runWriter(task: EditorTask, isKilled: boolean): Promise<Ledger> {
  await using program = startProgram('config-editor', task);
  const done: DoneEdit[] = [];
  let begun: { readonly name: string; readonly at: number } | undefined;
  let linesLeft = isKilled ? 1 + Math.floor(Math.random() * task.entries * 2) : Number.POSITIVE_INFINITY;
  for await (const line of program.lines()) {
    const [what, name = '', time] = line.split(' ');
    const at = Number(time);
    if (what === 'adding' || what === 'removing') begun = { name, at };
    else if (begun !== undefined) {
      if (what === 'added' || what === 'removed') done.push({ kind: what, name, from: begun.at, to: at });
      begun = undefined;
    }
    linesLeft -= 1;
    if (linesLeft === 0) setTimeout(() => program.child.kill('SIGKILL'), Math.random() * 150);
  }
  const { code, signal, stderr } = await program.ended;
  // Node prints the line of the program as well, which is all of it.
  expect([stderr.slice(-2000), code === 0 || signal === 'SIGKILL']).toEqual(['', true]);
  return { done, pending: begun?.name };
}

/** True when the editor had read the file before the edit was done and wrote what it had read after the edit began. */
function isOverwritten({ kind, name, from, to }: DoneEdit, rewrites: readonly Rewrite[]): boolean {
  return rewrites.some(
    ({ names, readAt, emptiedAt }) =>
      readAt <= to && emptiedAt >= from && names.includes(name) === (kind === 'removed'),
  );
}

/** One more edit removes what killed processes have left behind. */
async function expectTidy(fixture: EditFixture, file: string, task: EditorTask): Promise<void> {
  expect((await runWriter({ ...task, id: 'last', entries: 1 }, false)).done).toHaveLength(1);
  const left = [...(await readdir(path.dirname(file))), ...(await readdir(fixture.place('~/.holt/undo')))];
  expect(left.filter((name) => name.endsWith('.tmp'))).toEqual([]);
}

test(
  'T116: nothing is lost between many writers and an editor, except what the editor itself overwrote',
  { timeout: scaled(90_000) },
  async () => {
    await using fixture = await makeEditFixture();
    const { file } = findTarget('holt', 'project', fixture.parts);
    await fixture.write(file, '{\n  "mcpServers": {\n    "mine": { "command": "mine" }\n  }\n}\n');
    await using editor = startProgram('in-place-editor', { file, restMs: 600 } satisfies InPlaceTask);
    const rewrites: Rewrite[] = [];
    const editing = (async () => {
      for await (const line of editor.lines()) rewrites.push(JSON.parse(line));
    })();
    const task = {
      home: fixture.machine.homeDir,
      project: fixture.machine.projectRoot,
      agent: 'holt',
      scope: 'project',
      entries: scaled(3),
      mayBeRefused: true,
    } as const;
    const ledgers = await Promise.all(
      Array.from({ length: scaled(4) }, (_, index) =>
        runWriter({ ...task, id: `p${index}` }, index % 3 === 0),
      ),
    );
    editor.say('enough');
    await editing;
    expect(await editor.ended).toMatchObject({ code: 0, stderr: '' });

    const final = Object.keys(JSON.parse(await readFile(file, 'utf8')).mcpServers);
    const unsure = new Set(ledgers.flatMap(({ pending }) => pending ?? []));
    const done = ledgers.flatMap((ledger) => ledger.done).filter(({ name }) => !unsure.has(name));
    const last = new Map(done.map((edit) => [edit.name, edit]));
    const wrong = [...last.values()].filter(
      (edit) => final.includes(edit.name) !== (edit.kind === 'added') && !isOverwritten(edit, rewrites),
    );
    const own = ['mine', ...rewrites.map(({ name }) => name)];
    expect({ wrong, lostOfEditor: own.filter((name) => !final.includes(name)) }).toEqual({
      wrong: [],
      lostOfEditor: [],
    });
    expect([done.length > 0, rewrites.length > 0]).toEqual([true, true]);
    await expectTidy(fixture, file, { ...task, id: 'last' });
  },
);
