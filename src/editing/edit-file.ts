/**
 * Applies one edit to one config file: under its lock, to its current content, all or nothing, and with the
 * previous content saved for undo. Preserves every other byte of the file.
 */

import { decodeText, encodeLike } from '../documents/decode.ts';
import type { EditResult } from '../documents/edit-document.ts';
import { parseDocument } from '../documents/parse-document.ts';
import { createLineIndex, type DocFormat, type ParsedDocument } from '../documents/tree.ts';
import { HoltError } from '../kernel/errors.ts';
import { isInside, type Machine } from '../kernel/machine.ts';
import type { DialectId } from '../kernel/servers.ts';
import { writeFileAtomically } from '../platform/files/atomic-write.ts';
import { withFileLock } from '../platform/files/lock.ts';
import { makeHoltFolder } from '../platform/files/private-folder.ts';
import { realPathOf } from '../platform/files/real-path.ts';
import { changedMeanwhile, notChanged, readSettled, type ReadFile } from './read-settled.ts';
import { lockOptions, withMemory, type EditParts } from './edit-parts.ts';
import { exposureWarnings } from './entries/mask-entry.ts';
import { keepPrevious, type Operation } from './previous-content.ts';
import { markDone, dropRecord } from './undo/undo-records.ts';

export interface FileEdit {
  readonly file: string;
  readonly format: DocFormat;
  readonly operation: Operation;
  /** Receives the content of the file under the lock. Refuses when it is not what the caller decided on. */
  readonly change: (text: string, document: ParsedDocument) => Promise<EditResult>;
  /** The initial content of a new file. */
  readonly start?: string;
  /** The file is the user's own and now holds a secret, so others lose the right to read it. */
  readonly private?: boolean;
  /** The dialect of the placeholders in the file, which are not secrets; holt's own by default. */
  readonly dialect?: DialectId;
}

export interface FileEdited {
  readonly file: string;
  readonly outcome: 'created' | 'changed' | 'unchanged';
  /** True when others could read the file before this edit. */
  readonly tightened: boolean;
  /** Warnings about the file after the edit. */
  readonly warnings: readonly string[];
}

const maxBytes = 64 << 20;
/** Programs that do not use our locks may write in between, but not again and again. */
const maxTries = 5;

/**
 * Rejects with `config-invalid` when the file or the change is invalid, and with `config-unwritable` when the
 * file cannot be written.
 */
export async function editFile(edit: FileEdit, parts: EditParts): Promise<FileEdited> {
  await checkPlace(edit.file, parts);
  return withFileLock(edit.file, () => editUnderLock(edit, withMemory(parts)), lockOptions(parts));
}

async function editUnderLock(edit: FileEdit, parts: EditParts): Promise<FileEdited> {
  for (let tries = 1; tries <= maxTries; tries += 1) {
    const read = await readSettled(edit.file, parts);
    // A file that stays empty is treated as a new one.
    const before = read.bytes?.length === 0 ? undefined : read.bytes;
    const after = await changedBytes(edit, before);
    if (after === undefined) return { file: edit.file, outcome: 'unchanged', tightened: false, warnings: [] };
    const written = await writeKept(edit, { read, after }, parts);
    if (written.kind === 'changed') continue;
    const outcome = before === undefined ? 'created' : 'changed';
    const warnings = await warningsFor(edit, { read, after }, parts);
    return { file: edit.file, outcome, tightened: written.tightened, warnings };
  }
  throw changedMeanwhile(edit.file);
}

/** Resolves to undefined when the edit changes nothing. */
async function changedBytes(edit: FileEdit, before: Uint8Array | undefined): Promise<Uint8Array | undefined> {
  const { file, format, start = '' } = edit;
  const bytes = before ?? Buffer.from(start);
  const document = await parseDocument(bytes, format);
  if (!document.ok) {
    const { line, column } = createLineIndex(document.text)(document.offset);
    throw notChanged(
      file,
      `it is not valid ${format.toUpperCase()}: ${document.message} (${line}:${column})`,
    );
  }
  const { text } = decodeText(bytes);
  const edited = await edit.change(text, document);
  if (!edited.ok) throw notChanged(file, edited.reason);
  if (edited.text === text) return undefined;
  const encoded = encodeLike(bytes, edited.text);
  if (encoded === undefined) throw notChanged(file, 'it holds bytes that are not text');
  return encoded;
}

interface Contents {
  readonly read: ReadFile;
  readonly after: Uint8Array;
}

async function writeKept(
  edit: FileEdit,
  { read: { bytes, stamp, lastContent }, after }: Contents,
  parts: EditParts,
): Promise<Awaited<ReturnType<typeof writeFileAtomically>>> {
  const { file, operation } = edit;
  const { machine } = parts;
  const within = boundsOf(file, machine);
  const isOurs = isInside(file, machine.holtHome, machine);
  if (isOurs) await makeHoltFolder(machine.holtHome, [], { os: machine.os });
  const bounds = within === undefined ? {} : { within };
  // If an editor has emptied the file meanwhile, undo restores the last content.
  const before = lastContent ?? bytes;
  let record: string | undefined;
  const drop = async (): Promise<void> => {
    if (record !== undefined) await dropRecord(record, parts).catch(() => undefined);
  };
  try {
    const outcome = await writeFileAtomically(file, after, {
      os: machine.os,
      mode: edit.private === true ? 'private' : 'keep',
      expected: bytes === undefined ? { kind: 'absent' } : { kind: 'bytes', bytes, stamp },
      beforeReplace: async (written) => {
        record = await keepPrevious({ operation, file, before, after, written, ...bounds }, parts);
      },
      ...bounds,
      ...(isOurs ? { folders: 'private' } : {}),
    });
    if (outcome.kind === 'changed') await drop();
    // The mark only saves a hash comparison later, so the write succeeds without it.
    else if (record !== undefined) await markDone(record, parts).catch(() => undefined);
    return outcome;
  } catch (error) {
    await drop();
    throw error;
  }
}

/** Others cannot read a file that is new or was made private, so only other files are checked. */
async function warningsFor(
  edit: FileEdit,
  { read: { mode }, after }: Contents,
  { machine }: EditParts,
): Promise<readonly string[]> {
  if (mode === undefined || edit.private === true) return [];
  const { file, format, dialect = 'holt' } = edit;
  return exposureWarnings({ file, bytes: after, mode, format, dialect }, machine);
}

/**
 * Returns the project root for a project's file, which must stay in the project even through linked folders.
 */
function boundsOf(file: string, machine: Machine): string | undefined {
  return machine.hasProject && isInside(file, machine.projectRoot, machine) ? machine.projectRoot : undefined;
}

/**
 * Rejects links that lead out of the folder before the user is asked about the file. Writing checks again.
 */
export async function checkPlace(file: string, { machine, files }: EditParts): Promise<void> {
  const folder = await realPathOf(machine.path.dirname(file));
  const bounds = boundsOf(file, machine);
  const strays = bounds !== undefined && !isInside(folder, await realPathOf(bounds), machine);
  const outcome = files.load(file, maxBytes);
  const leads =
    outcome.kind === 'file' && machine.path.dirname(outcome.realPath) !== folder
      ? outcome.realPath
      : undefined;
  if (!strays && leads === undefined) return;
  const target = leads ?? machine.path.join(folder, machine.path.basename(file));
  throw new HoltError(
    'config-unwritable',
    `${file} is reached through a link that leads out of its folder, to ${target}`,
    { file, reason: 'link-outside-folder' },
    { remedy: 'Change the file that the link stands for, or put a file in its place.' },
  );
}
