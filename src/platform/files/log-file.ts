/**
 * Stores a server's stderr in files of limited size. The file is created with the first byte. Writing never
 * blocks the server: when the disk is too slow, output is dropped and the file notes how much. Secrets are
 * redacted.
 */

import { constants } from 'node:fs';
import { open, rename, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';

import { sha256 } from '../../kernel/hash.ts';
import type { OperatingSystem } from '../../kernel/machine.ts';
import type { Redactor } from '../../masking/redactor.ts';
import { makeHoltFolder } from './private-folder.ts';

export interface LogFile {
  readonly file: string;
  write(bytes: Uint8Array): void;
  /** Redacts secrets in text that will be shown or stored. */
  redact(text: string): string;
  /** Resolves when everything written so far is in the file or has failed. */
  flush(): Promise<void>;
  /** Writes the remaining output and closes the file. A later write opens it again. */
  close(): Promise<void>;
}

export interface LogFileParts {
  readonly holtHome: string;
  readonly os: OperatingSystem;
  /** The name from `logFileName`. */
  readonly name: string;
  readonly redactor: Pick<Redactor, 'redact' | 'redactStream'>;
  /** A full file is renamed to `.1`, and the previous `.1` to `.2`. There are never more than three files. */
  readonly maxBytes?: number;
  /** How many bytes may be queued for the disk. */
  readonly maxWaitingBytes?: number;
  /** Called once when the file cannot be written. */
  readonly onWarning?: (message: string) => void;
}

const folderName = 'logs';

/** `<slug>-<8 hex>.log`: the slug is for people; the hash separates servers with similar names. */
export function logFileName(server: string, identity: string): string {
  const slug = server
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 40);
  const hash = sha256(identity).slice(0, 8);
  return `${slug === '' ? 'server' : slug}-${hash}.log`;
}

export function logFilePath(holtHome: string, name: string): string {
  return path.join(holtHome, folderName, name);
}

export function createLogFile(parts: LogFileParts): LogFile {
  const { holtHome, name, os, redactor, maxBytes = 10_000_000, maxWaitingBytes = 1 << 20, onWarning } = parts;
  const file = logFilePath(holtHome, name);
  const target = createRotatingFile(file, { maxBytes, files: 3 });
  const masked = redactor.redactStream();
  const decoder = new StringDecoder('utf8');
  const waiting = createWaiting(maxWaitingBytes);
  let writing = Promise.resolve();
  let state: 'new' | 'open' | 'broken' = 'new';

  const append = async (text: string): Promise<void> => {
    if (text === '' || state === 'broken') return;
    try {
      if (state === 'new') await makeHoltFolder(holtHome, [folderName], { os });
      state = 'open';
      await target.append(text);
    } catch (error) {
      state = 'broken';
      onWarning?.(`The log ${file} cannot be written: ${String(error)}`);
    }
  };
  const appendWaiting = async (): Promise<void> => {
    const { bytes, lost } = waiting.take();
    await append(masked.push(decoder.write(bytes)) + lost);
  };

  return {
    file,
    redact: (text) => redactor.redact(text),
    write: (bytes) => {
      // Each append takes everything that has arrived by the time it begins.
      if (state !== 'broken' && waiting.add(bytes) === 'first') writing = writing.then(appendWaiting);
    },
    flush: () => writing,
    close: async () => {
      await writing;
      await append(masked.push(decoder.end()) + masked.end());
      await target.close().catch(() => undefined);
    },
  };
}

interface Waiting {
  /** Returns `first` when the queue was empty before. */
  add(bytes: Uint8Array): 'first' | 'more';
  take(): { readonly bytes: Buffer; readonly lost: string };
}

function createWaiting(maxBytes: number): Waiting {
  let chunks: Uint8Array[] = [];
  let size = 0;
  let lostBytes = 0;
  return {
    add: (bytes) => {
      const place = size === 0 ? 'first' : 'more';
      if (size + bytes.length > maxBytes && size > 0) lostBytes += bytes.length;
      else {
        chunks.push(bytes);
        size += bytes.length;
      }
      return size === 0 ? 'more' : place;
    },
    take: () => {
      const lost = lostBytes === 0 ? '' : `\n[holt: ${lostBytes} bytes left out here]\n`;
      const bytes = Buffer.concat(chunks);
      [chunks, size, lostBytes] = [[], 0, 0];
      return { bytes, lost };
    },
  };
}

interface RotatingFile {
  /** Appends text. Calls must not overlap. */
  append(text: string): Promise<void>;
  close(): Promise<void>;
}

interface RotatingOptions {
  readonly maxBytes: number;
  /** The maximum number of files, including the current one. */
  readonly files: number;
}

function createRotatingFile(file: string, { maxBytes, files }: RotatingOptions): RotatingFile {
  let handle: FileHandle | undefined;
  const close = async (): Promise<void> => {
    const held = handle;
    handle = undefined;
    await held?.close();
  };
  return {
    append: async (text) => {
      handle ??= await openLog(file);
      const [mine, named] = await Promise.all([handle.stat(), stat(file).catch(() => undefined)]);
      // Other processes may write the same log. After one of them rotates or removes it, this handle refers
      // to an old file.
      const isCurrent = named?.ino === mine.ino;
      const isFull = mine.size > 0 && mine.size + Buffer.byteLength(text) > maxBytes;
      if (isCurrent && isFull) await rotate(file, files);
      if (!isCurrent || isFull) {
        await close();
        handle = await openLog(file);
      }
      await handle.appendFile(text);
    },
    close,
  };
}

async function rotate(file: string, files: number): Promise<void> {
  for (let age = files - 1; age > 0; age -= 1) {
    const younger = age === 1 ? file : `${file}.${age - 1}`;
    // Not all of them exist yet.
    await rename(younger, `${file}.${age}`).catch(() => undefined);
  }
}

function openLog(file: string): Promise<FileHandle> {
  return open(
    file,
    constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW,
    0o600,
  );
}
