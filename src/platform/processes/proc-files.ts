/** Reads `/proc`, where Linux tells of its processes. What cannot be read any more is gone. */

import fs from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';

export interface ProcStat {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly state: string;
  /** Clock ticks from the start of the machine to the start of the process. */
  readonly start: string;
  /** All of them hold its files and ports, also when the first has ended. */
  readonly threads: number;
  readonly isKernels: boolean;
}

/** One for all: these files are many, small, and do not tell how long they are. */
const page = Buffer.allocUnsafeSlow(1 << 17);

/** The answer holds until the next one is read. */
export function readProcFile(pid: number | 'self', name: string): Buffer | undefined {
  const file = `/proc/${pid}/${name}`;
  try {
    const length = readInto(page, file);
    return length < page.length ? page.subarray(0, length) : fs.readFileSync(file);
  } catch {
    return undefined;
  }
}

/** The kernel hands out what it has at the moment, often less than there is room for. */
function readInto(room: Buffer, file: string): number {
  const open = fs.openSync(file, 'r');
  try {
    let length = 0;
    while (length < room.length) {
      const more = fs.readSync(open, room, length, room.length - length, null);
      if (more === 0) break;
      length += more;
    }
    return length;
  } finally {
    fs.closeSync(open);
  }
}

/** Zombies and the dead are nobody. */
export function readLiving(pid: number | 'self'): ProcStat | undefined {
  const text = readProcFile(pid, 'stat')?.toString('latin1');
  const stat = text === undefined ? undefined : parseStat(text);
  return stat === undefined || hasEnded(stat) ? undefined : stat;
}

/** The state is that of the first thread, which may end before the others. */
export function hasEnded({ state, threads }: Pick<ProcStat, 'state' | 'threads'>): boolean {
  return state === 'X' || (state === 'Z' && threads <= 1);
}

/** As the kernel marks its own processes. */
const kernelFlag = 0x0020_0000;

/** The program's name stands in brackets and may itself hold brackets and spaces: the last one counts. */
export function parseStat(text: string): ProcStat | undefined {
  const pid = Number.parseInt(text, 10);
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group] = fields;
  const start = fields[19];
  if (Number.isNaN(pid) || state === undefined || start === undefined) return undefined;
  const isKernels = (Number(fields[6]) & kernelFlag) !== 0;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    state,
    start,
    threads: Number(fields[17]),
    isKernels,
  };
}

/** Not every kernel is built with it. */
export function listsChildren(): boolean {
  return fs.existsSync(`/proc/self/task/${process.pid}/children`);
}

/** Each thread lists the processes that it started. */
export function readChildren(pid: number): readonly number[] {
  let threads: string[];
  try {
    threads = fs.readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
  return threads.flatMap((thread) => {
    const text = readProcFile(pid, `task/${thread}/children`)?.toString('latin1') ?? '';
    return text
      .split(' ')
      .filter((word) => word !== '')
      .map(Number);
  });
}

/** The parent of all of the kernel's own, where they can be seen: in a container that number is somebody else's. */
const kernelParent = 2;

/** The kernel's own processes: often most of all there are, and never a server's. One file names them. */
export function kernelProcesses(): ReadonlySet<number> {
  if (readLiving(kernelParent)?.isKernels !== true) return new Set();
  const children = readProcFile(kernelParent, `task/${kernelParent}/children`)?.toString('latin1') ?? '';
  return new Set([kernelParent, ...children.trim().split(' ').map(Number)]);
}

/** Every process number but the kernel's, a few at a time with a turn of the loop in between: there may be thousands. */
export async function* everyProcess(): AsyncGenerator<number> {
  let names: string[];
  try {
    names = fs.readdirSync('/proc');
  } catch {
    return;
  }
  const kernels = kernelProcesses();
  let count = 0;
  for (const name of names) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || kernels.has(pid)) continue;
    count += 1;
    if (count % 128 === 0) await nextTurn();
    yield pid;
  }
}
