/** Reads processes from `/proc` on Linux. A process whose files cannot be read counts as gone. */

import fs from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';

export interface ProcStat {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly state: string;
  /** Clock ticks from the boot of the machine to the start of the process. */
  readonly start: string;
  /** All threads share the process's files and ports, even after the first one has ended. */
  readonly threads: number;
  readonly isKernels: boolean;
}

/** A shared buffer, because these files are many and small, and their size is not known in advance. */
const page = Buffer.allocUnsafeSlow(1 << 17);

/** Returns the content, which is only valid until the next call. */
export function readProcFile(pid: number | 'self', name: string): Buffer | undefined {
  const file = `/proc/${pid}/${name}`;
  try {
    const length = readInto(page, file);
    return length < page.length ? page.subarray(0, length) : fs.readFileSync(file);
  } catch {
    return undefined;
  }
}

/** The kernel returns what is available at the moment, often less than the buffer can hold. */
function readInto(buffer: Buffer, file: string): number {
  const open = fs.openSync(file, 'r');
  try {
    let length = 0;
    while (length < buffer.length) {
      const more = fs.readSync(open, buffer, length, buffer.length - length, null);
      if (more === 0) break;
      length += more;
    }
    return length;
  } finally {
    fs.closeSync(open);
  }
}

/** Returns undefined for zombies and for processes that have ended. */
export function readLiving(pid: number | 'self'): ProcStat | undefined {
  const text = readProcFile(pid, 'stat')?.toString('latin1');
  const stat = text === undefined ? undefined : parseStat(text);
  return stat === undefined || hasEnded(stat) ? undefined : stat;
}

/** The state is that of the first thread, which may end before the others. */
export function hasEnded({ state, threads }: Pick<ProcStat, 'state' | 'threads'>): boolean {
  return state === 'X' || (state === 'Z' && threads <= 1);
}

/** PF_KTHREAD, the kernel's flag for its own processes. */
const kernelFlag = 0x0020_0000;

/**
 * The program's name is in brackets and may contain brackets and spaces, so the fields start after the last
 * bracket.
 */
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

/** Returns whether the kernel lists children. Not every kernel is built with this. */
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

/**
 * The parent of all kernel processes where they are visible. In a container, this pid belongs to another
 * process.
 */
const kernelParent = 2;

/** Returns the kernel's own processes: often the majority, and never a server's. A single file lists them. */
export function kernelProcesses(): ReadonlySet<number> {
  if (readLiving(kernelParent)?.isKernels !== true) return new Set();
  const children = readProcFile(kernelParent, `task/${kernelParent}/children`)?.toString('latin1') ?? '';
  return new Set([kernelParent, ...children.trim().split(' ').map(Number)]);
}

/** Yields every pid except the kernel's, with regular pauses for the event loop: there may be thousands. */
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
