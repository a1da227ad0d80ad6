/** A home and a project in a temporary folder with everything editing needs, and a helper that reads what is configured. */

import { chmod, mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import type { EditParts } from '../../src/editing/edit-parts.ts';
import type { Machine } from '../../src/kernel/machine.ts';
import type { ServerDefinition } from '../../src/kernel/servers.ts';
import { realFiles } from '../../src/platform/files/files.ts';
import { readIdentity, readMachine } from '../../src/platform/machine-facts.ts';
import { loadRoster, type Roster } from '../../src/roster/load-roster.ts';
import { loadApprovals } from '../../src/trust/load-approvals.ts';

export interface EditFixture extends AsyncDisposable {
  readonly folder: string;
  readonly machine: Machine;
  readonly parts: EditParts;
  /** `~/…` is the home folder, everything else lies in the project. */
  place(name: string): string;
  write(name: string, content: string | Uint8Array, mode?: number): Promise<string>;
  read(name: string): Promise<string>;
  modeOf(name: string): Promise<number>;
  roster(): Promise<Roster>;
  /** The definition under that name. */
  definition(ref: string): Promise<ServerDefinition>;
}

export async function makeEditFixture(env: Readonly<Record<string, string>> = {}): Promise<EditFixture> {
  const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'holt-edit-')));
  const home = path.join(folder, 'home');
  const project = path.join(folder, 'shop');
  await mkdir(path.join(project, '.git'), { recursive: true });
  await mkdir(home);
  const machine = readMachine({ cwd: project, home, env });
  const parts: EditParts = { machine, files: realFiles, now: () => Date.UTC(2027, 0, 2) };
  const place = (name: string): string =>
    name.startsWith('~/') ? path.join(home, name.slice(2)) : path.resolve(project, name);
  const roster = (): Promise<Roster> =>
    loadRoster(
      {},
      { machine, files: realFiles, identity: readIdentity(), approvals: loadApprovals(machine, realFiles) },
    );
  return {
    folder,
    machine,
    parts,
    place,
    async write(name, content, mode) {
      const file = place(name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, content);
      if (mode !== undefined) await chmod(file, mode);
      return file;
    },
    read: (name) => readFile(place(name), 'utf8'),
    modeOf: async (name) => (await stat(place(name))).mode & 0o777,
    roster,
    async definition(ref) {
      const { servers, shadowed } = await roster();
      const entry = [...servers, ...shadowed].find((candidate) => candidate.ref === ref);
      if (entry === undefined)
        throw new Error(`no ${ref} among ${servers.map((server) => server.ref).join(', ')}`);
      return entry.definition;
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
