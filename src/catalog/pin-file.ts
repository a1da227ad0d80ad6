/**
 * Pins in `~/.holt/pins.json`: private, changed under a lock, never half written. A damaged file is kept beside, and its
 * successor remembers that something was lost. The accepted texts are in a file per server under `~/.holt/pins/`.
 */

import type { Machine } from '../kernel/machine.ts';
import { writeFileAtomically } from '../platform/atomic-write.ts';
import { withFileLock } from '../platform/lock.ts';
import { loadPrivateFile } from '../platform/private-file.ts';
import { makeHoltFolder } from '../platform/private-folder.ts';
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
  /** Told what was not as it should be. */
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

  const takeApart = createPinReader();
  const read = async (): Promise<{ readonly pins: Pins; readonly damaged?: Uint8Array }> => {
    const found = await loadPrivateFile(file, { os, maxBytes });
    if (found.kind === 'missing') return { pins: noPins };
    if (found.tightened) onWarning?.(`Others could read ${file}; it is private again`);
    const { pins, damaged } = takeApart(found.bytes);
    return damaged ? { pins, damaged: found.bytes } : { pins };
  };

  /** Under the lock. What could be read of a damaged file stays; what could not is remembered as lost. */
  const readWhole = async (): Promise<Pins> => {
    const { pins, damaged } = await read();
    if (damaged === undefined) return pins;
    const time = now().toISOString();
    const aside = `${file}.corrupt-${time.replaceAll(/[-:.]/g, '')}`;
    await write(aside, damaged);
    const mended = { ...pins, lost: pins.lost ?? time.slice(0, 10) };
    await write(file, printPins(mended));
    onWarning?.(
      `${file} was damaged and is kept as ${aside}; tools that cannot be told to be unchanged wait for holt pin accept`,
    );
    return mended;
  };

  const locked = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    await makeHoltFolder(holtHome, ['pins'], { os });
    return withFileLock(file, work, { os, holtHome, timeoutMs: lockTimeoutMs });
  };

  const loadTexts = async (key: string): Promise<PinTexts | undefined> => {
    const found = await loadPrivateFile(textsFile(key), { os, maxBytes }).catch(() => undefined);
    return found?.kind === 'file' ? readTexts(textOf(found.bytes)) : undefined;
  };

  /** All that waits goes into one write: at a first start every server has something to keep. */
  const writeAll = async (edits: readonly WaitingEdit[]): Promise<void> => {
    const pins = await readWhole();
    const servers = new Map(pins.servers);
    for (const { key, edit } of edits) {
      const texts = await loadTexts(key);
      const kept = edit({ record: servers.get(key), texts, lost: pins.lost });
      if (kept === undefined) continue;
      // Texts first: without their hash they mean nothing, and a hash without its text cannot be shown.
      // They only show a change, so they may be lost when the power fails; the hashes may not.
      if (kept.texts !== undefined) await write(textsFile(key), printTexts(kept.texts), false);
      servers.set(key, kept.record);
    }
    await write(file, printPins({ ...pins, servers }));
  };

  return {
    load: async () => {
      const { pins, damaged } = await read();
      return damaged === undefined ? pins : locked(readWhole);
    },
    loadTexts,
    stampOf: (key) => stampIn(file, os, key),
    change: createTogether((edits) => locked(() => writeAll(edits))),
  };
}

/** Whether something in the file cannot be read, without mending it. */
export function isDamagedPinFile(text: string): boolean {
  return readPins(text).damaged;
}

async function stampIn(file: string, os: Machine['os'], key: string): Promise<string | undefined> {
  const found = await loadPrivateFile(file, { os, maxBytes }).catch(() => undefined);
  return found?.kind === 'file' ? stampOfPart(found.bytes, key) : undefined;
}

/** The same bytes are taken apart once: each server is looked up in the file of them all, and anew for each would grow with the square. */
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

/** Without a copy of the bytes. */
function textOf({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('utf8');
}

interface WaitingEdit {
  readonly key: string;
  readonly edit: Parameters<PinStore['change']>[1];
}

/** Whatever is asked for while the work is busy is done in one go afterwards. */
function createTogether(
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
