/** Processes that edit one config file with the command, are killed while editing, and meet full disks and read-only folders. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { executable } from '../../support/holt-command.ts';
import type { EntryOf } from '../history.ts';
import { sendSignal, whileOn, type WorkloadContext } from '../workload-context.ts';

const writers = 3;

type Op = EntryOf<'edit'>['op'];

export interface EditWorkload {
  readonly context: WorkloadContext;
  readonly home: string;
  /** How the file is called in the history. */
  readonly file: string;
  /** The home is a disk of its own that can be filled. */
  readonly isSmall: boolean;
}

export async function runEdits(workload: EditWorkload): Promise<void> {
  const { context, home, isSmall } = workload;
  const project = path.join(context.folder, 'project');
  mkdirSync(path.join(project, '.git'), { recursive: true });
  mkdirSync(path.join(home, '.holt'), { recursive: true, mode: 0o700 });
  await Promise.all([
    ...Array.from({ length: writers }, (_, at) => editOn(workload, `w${at}`)),
    whileOn(context, [20, 150], async () => tellFile(workload, false)),
    whileOn(context, [800, 2500], () => (isSmall ? fillDisk(workload) : closeFolder(workload))),
  ]);
  tellFile(workload, true);
}

/** Names are a writer's own, so that the order of its edits is the order of all edits of a name. */
async function editOn(workload: EditWorkload, writer: string): Promise<void> {
  const { context } = workload;
  const { random } = context;
  const there: string[] = [];
  let count = 0;
  await whileOn(context, [0, 60], async () => {
    const known = random.pick(there);
    const op: Op | undefined =
      known === undefined || random.chance(0.5) ? 'add' : random.pick<Op>(['enable', 'disable', 'remove']);
    const name = op === 'add' || known === undefined ? `${writer}-${(count += 1)}` : known;
    const state = await edit(workload, name, op ?? 'add');
    if (op === 'add' && state === 'accepted') there.push(name);
    // What became of it is not known: it is left as it is.
    if (state === 'unknown' || (op === 'remove' && state === 'accepted'))
      there.splice(0, there.length, ...there.filter((kept) => kept !== name));
  });
}

async function edit(
  workload: EditWorkload,
  name: string,
  op: Op,
): Promise<'accepted' | 'refused' | 'unknown'> {
  const { context, home, file } = workload;
  const { random, note } = context;
  const more = op === 'add' ? ['--user', '--yes', '--', 'a-program', '--for', name, 'x'.repeat(40)] : [];
  const command = [...asAnybody, process.execPath, executable, op, name, '--home', home, ...more];
  const [program = '', ...args] = random.chance(0.08) ? [...limited(workload), ...command] : command;
  note('edit', { file, name, op, state: 'begun' });
  const child = spawn(program, args, {
    cwd: path.join(context.folder, 'project'),
    env: { PATH: process.env['PATH'], HOME: home, TMPDIR: context.folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  const blow = random.chance(0.25)
    ? setTimeout(
        () => {
          note('fault', { fault: 'kill editor', target: name });
          sendSignal(child.pid, 'SIGKILL');
        },
        random.between(20, 400),
      )
    : undefined;
  const [code] = (await once(child, 'close')) as [number | null]; // a number, or null after a signal
  clearTimeout(blow);
  const state = code === 0 ? 'accepted' : code === null ? 'unknown' : 'refused';
  note('edit', { file, name, op, state });
  if (code !== null && code !== 0 && /\n\s+at .+:\d+:\d+/.test(said))
    note('wrong', { what: `holt ${op} ${name} ended with ${code}: ${said.slice(-1500)}` });
  return state;
}

/** Files may not grow beyond a few bytes, whoever writes them: as a disk that fills up in the middle. */
function limited({ context }: EditWorkload): readonly string[] {
  const bytes = context.random.pick([1, 100, 600, 2000]);
  context.note('fault', { fault: 'files limited', target: `${bytes} bytes` });
  return ['prlimit', `--fsize=${bytes}`];
}

async function fillDisk({ context, home }: EditWorkload): Promise<void> {
  const filler = path.join(home, 'filler');
  context.note('fault', { fault: 'disk full', target: home });
  // In pieces: as much as there is room for.
  for (const size of [65_536, 8192, 1024, 64])
    try {
      for (;;) writeFileSync(filler, Buffer.alloc(size), { flag: 'a' });
    } catch {
      continue;
    }
  await pause(context.random.between(200, 1200));
  rmSync(filler, { force: true });
}

async function closeFolder({ context, home }: EditWorkload): Promise<void> {
  const folder = path.join(home, '.holt');
  context.note('fault', { fault: 'folder closed', target: folder });
  chmodSync(folder, 0o500);
  await pause(context.random.between(100, 700));
  chmodSync(folder, 0o700);
}

/** The administrator may write wherever it is closed to others: without that right it is as for everybody. */
const asAnybody =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : [];

/** The file as it is now. One that is not there yet has no servers. */
function tellFile({ context, home, file }: EditWorkload, final: boolean): void {
  let text: string;
  try {
    text = readFileSync(path.join(home, '.holt', 'mcp.json'), 'utf8');
  } catch {
    return context.note('file', { file, servers: {}, final });
  }
  try {
    const { mcpServers = {} } = JSON.parse(text) as {
      readonly mcpServers?: Readonly<Record<string, { readonly enabled?: boolean }>>; // holt's own file
    };
    const entries = Object.entries(mcpServers).map(
      ([name, { enabled }]) => [name, enabled !== false] as const,
    );
    context.note('file', { file, servers: final ? Object.fromEntries(entries) : {}, final });
  } catch {
    context.note('file', { file, servers: null, final });
  }
}
