/**
 * Whoever started holt may have left files open in it, and what holt starts would have them too. Node closes the lower
 * ones in children; this closes the rest. For the command only: in a program that uses the library they are that program's.
 */

import fs from 'node:fs';

const closeOnExec = 0o2000000;
/** Up to here Node marks all when it starts, and then on to the first that is not open. */
const markedByNode = 15;

/** Closes every descriptor that a child would inherit, and says which. Linux only: other systems do it when starting. */
export function closeInheritedDescriptors(): readonly number[] {
  if (process.platform !== 'linux') return [];
  // Node's own channel to a parent that is Node as well.
  const kept = Number(process.env['NODE_CHANNEL_FD'] ?? Number.NaN);
  return openDescriptors().filter(
    (descriptor) => descriptor !== kept && isInherited(descriptor) && isClosed(descriptor),
  );
}

function openDescriptors(): readonly number[] {
  try {
    return fs
      .readdirSync('/proc/self/fd')
      .map(Number)
      .filter((descriptor) => descriptor > markedByNode);
  } catch {
    return [];
  }
}

function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s+([0-7]+)$/m.exec(
      fs.readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'),
    )?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    // The one that listed the others is gone again.
    return false;
  }
}

function isClosed(descriptor: number): boolean {
  try {
    fs.closeSync(descriptor);
    return true;
  } catch {
    return false;
  }
}
