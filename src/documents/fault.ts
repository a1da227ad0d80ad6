/** The error that parsers throw when a text cannot be read, and its conversion to an `UnparsedDocument`. */

import { maxDepth, type UnparsedDocument } from './tree.ts';

export class DocumentFault extends Error {
  readonly offset: number;
  readonly reason: UnparsedDocument['reason'];

  constructor(message: string, offset: number, reason: UnparsedDocument['reason'] = 'syntax') {
    super(message);
    this.offset = offset;
    this.reason = reason;
  }
}

export function tooDeep(offset: number): DocumentFault {
  return new DocumentFault(`nested deeper than ${maxDepth} levels`, offset, 'too-deep');
}

/** More parts than this take a second and hundreds of MiB to parse; no real config file comes close. */
const usualMaxParts = 100_000;

export function refuseParts(parts: number, offset: number, maxParts = usualMaxParts): void {
  if (parts > maxParts) throw new DocumentFault(`made of more than ${maxParts} parts`, offset);
}

/**
 * Returns the document for a text that caused `fault`.
 * Rethrows anything but a `DocumentFault`, which is a bug.
 */
export function unparsed(text: string, fault: unknown): UnparsedDocument {
  if (!(fault instanceof DocumentFault)) throw fault;
  return { ok: false, text, reason: fault.reason, message: fault.message, offset: fault.offset };
}
