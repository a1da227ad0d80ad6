/** The history of a soak: one JSON line per event, whichever process saw it. The checks read nothing else. */

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import type { Phase } from '../../src/kernel/phases.ts';

export type Verdict = 'allow' | 'ask' | 'deny';

interface Kinds {
  /** A process that has servers of its own: it owns what they start. */
  'owner.start': { readonly owner: string; readonly pid: number };
  'owner.end': { readonly owner: string; readonly how: string };
  /** How far a host is that was told to end. */
  closing: { readonly owner: string; readonly step: 'told' | 'calls over' | 'closed' };
  /** A server program tells that it was started, with the cookie in its environment. */
  spawn: { readonly owner: string; readonly server: string; readonly pid: number; readonly cookie: string };
  /** Found in the list of processes although its owner has ended. */
  seen: { readonly owner: string; readonly server: string; readonly pid: number; readonly cookie: string };
  /** A request of the provider's own log. A generation is known by the refresh token that stands for it. */
  refresh: {
    readonly record: string;
    readonly generation: string;
    readonly outcome: 'ok' | 'spent' | 'failed';
  };
  fault: { readonly fault: string; readonly target: string };
  call: { readonly owner: string; readonly mark: string; readonly server: string; readonly tool: string };
  /** A server got the call. The digest is that of the tool as the server last listed it. */
  received: {
    readonly server: string;
    readonly tool: string;
    readonly mark: string;
    readonly digest?: string;
  };
  /** Came back to the caller of `mark`; `got` is whose it is. */
  delivered: {
    readonly owner: string;
    readonly mark: string;
    readonly got: string;
    readonly part: 'result' | 'progress';
  };
  failed: { readonly owner: string; readonly mark: string; readonly code: string };
  edit: {
    readonly file: string;
    readonly name: string;
    readonly op: 'add' | 'remove' | 'enable' | 'disable';
    /** `unknown`: killed in the middle of it, or it failed after it may have been written. */
    readonly state: 'begun' | 'accepted' | 'refused' | 'unknown';
  };
  /** What stands in a config file: names, and which are on. Null when it cannot be read. */
  file: {
    readonly file: string;
    readonly servers: Readonly<Record<string, boolean>> | null;
    readonly final: boolean;
  };
  grant: { readonly canary: string; readonly to: string };
  outbound: { readonly to: string; readonly bytes: number; readonly canaries: readonly string[] };
  /** Rules by `server/tool`, `*` for the rest. From `changing` until `set` nobody knows which of the two hold. */
  rules: {
    readonly owner: string;
    readonly state: 'changing' | 'set';
    readonly table: Readonly<Record<string, Verdict>>;
  };
  /** A person was asked about the call of `mark`. */
  answer: {
    readonly owner: string;
    readonly mark: string;
    readonly server: string;
    readonly tool: string;
    readonly answer: 'once' | 'run' | 'deny';
  };
  /** A tool is taken as it is: at first sight, or since somebody accepted it. */
  approve: {
    readonly owner: string;
    readonly server: string;
    readonly tool: string;
    readonly digest: string;
  };
  phase: { readonly owner: string; readonly server: string; readonly from: Phase; readonly to: Phase };
  /** What is wrong whatever else is said: a crash, a file that cannot be read. */
  wrong: { readonly what: string };
  skipped: { readonly what: string };
}

export type Kind = keyof Kinds;
interface Stamp {
  /** Milliseconds of the machine's monotonic clock. */
  readonly at: number;
  /** Who wrote it. */
  readonly by: string;
}
export type Entry = { readonly [Name in Kind]: Stamp & { readonly kind: Name } & Kinds[Name] }[Kind];
export type EntryOf<Name extends Kind> = Extract<Entry, { readonly kind: Name }>;
export type Note = <Name extends Kind>(kind: Name, facts: Kinds[Name]) => void;

export function ofKind<Name extends Kind>(history: readonly Entry[], kind: Name): readonly EntryOf<Name>[] {
  return history.filter((entry): entry is EntryOf<Name> => entry.kind === kind);
}

export function groupBy<Value>(
  list: readonly Value[],
  keyOf: (value: Value) => string,
): Map<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const value of list) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}

/** All parts of a history in the order of time. A last line that was cut off by a kill is left out. */
export async function readHistory(folder: string): Promise<readonly Entry[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jsonl'));
  const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')));
  return texts
    .flatMap((text) => text.split('\n').slice(0, -1))
    .map((line): Entry => JSON.parse(line))
    .toSorted((one, other) => one.at - other.at);
}
