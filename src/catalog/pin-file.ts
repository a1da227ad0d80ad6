/**
 * Stores pins in `~/.holt/pins.json`: private, changed under a lock, written atomically. A damaged file is
 * set aside, and its replacement records that pins were lost. The accepted texts are in one file per server
 * under `~/.holt/pins/`.
 */

import type { Machine } from '../kernel/machine.ts';
import { writeFileAtomically } from '../platform/files/atomic-write.ts';
import { withFileLock } from '../platform/files/lock.ts';
import { loadPrivateFile } from '../platform/files/private-file.ts';
import { makeHoltFolder } from '../platform/files/private-folder.ts';
import {
  noPins,
  printPins,
  printTexts,
  readPins,
  readTexts,
  stampOfPart,
  type Pins,
  type PinTexts,
} from './pinning/pin-records.ts';
import type { PinStore } from './pinning/pin-store.ts';

export interface PinFileParts {
  readonly now: () => Date;
  /** Receives a message when a file was damaged or readable by others. */
  readonly onWarning?: (text: string) => void;
}

const maxBytes = 64 << 20;
const lockTimeoutMs = 60_000;

export function createPinFile(machine: Machine, { now, onWarning }: PinFileParts): PinStore {
  const { os, holtHome, path } = machine;
  const file = path.join(holtHome, 'pins.json');
  const textsFile = (key: string): string => path.join(holtHome, 'pins', `${key}.json`);
  const write = async (place: string, content: string | Uint8Array, durable = true): Promise<void> => {
    const texts = typeof content === 'string' ? [content] : content;
    await writeFileAtomically(place, texts, { os, mode: 'private', folders: 'private', durable });
  };

  const parse = createPinReader();
  const read = async (): Promise<{ readonly pins: Pins; readonly damaged?: Uint8Array }> => {
    const found = await loadPrivateFile(file, { os, maxBytes });
    if (found.kind === 'missing') return { pins: noPins };
    if (found.tightened) onWarning?.(`Others could read ${file}; it is private again`);
    const { pins, damaged } = parse(found.bytes);
    return damaged ? { pins, damaged: found.bytes } : { pins };
  };

  /**
   * Call with the lock held. Copies a damaged file aside and rewrites it with what could be read; the rest is
   * recorded as lost.
   */
  const readAndRepair = async (): Promise<Pins> => {
    const { pins, damaged } = await read();
    if (damaged === undefined) return pins;
    const time = now().toISOString();
    const copy = `${file}.corrupt-${time.replaceAll(/[-:.]/g, '')}`;
    await write(copy, damaged);
    const repaired = { ...pins, lost: pins.lost ?? time.slice(0, 10) };
    await write(file, printPins(repaired));
    onWarning?.(
      `${file} was damaged and is stored as ${copy}; tools that cannot be compared wait for holt pin accept`,
    );
    return repaired;
  };

  const locked = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    await makeHoltFolder(holtHome, ['pins'], { os });
    return withFileLock(file, work, { os, holtHome, timeoutMs: lockTimeoutMs });
  };

  const loadTexts = async (key: string): Promise<PinTexts | undefined> => {
    const found = await loadPrivateFile(textsFile(key), { os, maxBytes }).catch(() => undefined);
    return found?.kind === 'file' ? readTexts(textOf(found.bytes)) : undefined;
  };

  /** Applies all waiting edits in one write, because at a first start every server has pins to store. */
  const writeAll = async (edits: readonly WaitingEdit[]): Promise<void> => {
    const pins = await readAndRepair();
    const servers = new Map(pins.servers);
    for (const { key, edit } of edits) {
      const texts = await loadTexts(key);
      const change = edit({ record: servers.get(key), texts, lost: pins.lost });
      if (change === undefined) continue;
      // Write the texts first: texts without a hash are ignored, but a hash without its text cannot be
      // explained. The texts only show a change, so a power failure may lose them; it must not lose the
      // hashes.
      if (change.texts !== undefined) await write(textsFile(key), printTexts(change.texts), false);
      servers.set(key, change.record);
    }
    await write(file, printPins({ ...pins, servers }));
  };

  return {
    load: async () => {
      const { pins, damaged } = await read();
      return damaged === undefined ? pins : locked(readAndRepair);
    },
    loadTexts,
    stampOf: (key) => stampIn(file, os, key),
    change: createBatcher((edits) => locked(() => writeAll(edits))),
  };
}

/** Whether a part of the file cannot be read. Does not repair it. */
export function isDamagedPinFile(text: string): boolean {
  return readPins(text).damaged;
}

async function stampIn(file: string, os: Machine['os'], key: string): Promise<string | undefined> {
  const found = await loadPrivateFile(file, { os, maxBytes }).catch(() => undefined);
  return found?.kind === 'file' ? stampOfPart(found.bytes, key) : undefined;
}

/**
 * Parses the same bytes only once. Every server is looked up in this one file, so parsing it each time would
 * take quadratic time.
 */
function createPinReader(): (bytes: Uint8Array) => ReturnType<typeof readPins> {
  let last: { readonly bytes: Uint8Array; readonly read: ReturnType<typeof readPins> } | undefined;
  return (bytes) => {
    if (last === undefined || Buffer.compare(last.bytes, bytes) !== 0)
      last = {
        bytes,
        read: readPins(textOf(bytes)),
      };
    return last.read;
  };
}

/** Decodes without copying the bytes. */
function textOf({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('utf8');
}

interface WaitingEdit {
  readonly key: string;
  readonly edit: Parameters<PinStore['change']>[1];
}

/** Collects the edits that arrive while `work` runs, and passes them to its next run together. */
function createBatcher(
  work: (edits: readonly WaitingEdit[]) => Promise<void>,
): (key: string, edit: WaitingEdit['edit']) => Promise<void> {
  let waiting: WaitingEdit[] = [];
  let next: Promise<void> | undefined;
  let busy: Promise<void> = Promise.resolve();
  const start = async (): Promise<void> => {
    await busy.catch(() => undefined);
    const edits = waiting;
    waiting = [];
    next = undefined;
    busy = work(edits);
    await busy;
  };
  return (key, edit) => {
    waiting.push({ key, edit });
    return (next ??= start());
  };
}
