/**
 * Closes file descriptors that holt inherited from its parent, so that holt's children do not inherit them
 * too. Node already marks the lower ones. Only for the command: in programs that use the library, these
 * descriptors belong to the program.
 */

import fs from 'node:fs';

const closeOnExec = 0o2000000;
/**
 * At startup, Node marks all descriptors up to this one as close-on-exec, and further ones up to the first
 * that is not open.
 */
const markedByNode = 15;

/**
 * Closes every descriptor that a child would inherit and returns their numbers. Linux only; other systems
 * close them when starting a child.
 */
export function closeInheritedDescriptors(): readonly number[] {
  if (process.platform !== 'linux') return [];
  // The IPC channel to a parent that is also Node.
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
    // The descriptor that was used to list the others is already closed.
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
