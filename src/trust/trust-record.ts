/** Decisions about entries and folders as stored in `trust.json`: how they are made, matched and read. */

import type { JsonValue } from '../kernel/json.ts';
import { dig, get, toValue, type DocNode, type ObjectNode } from '../documents/tree.ts';
import type { Machine } from '../kernel/machine.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { FingerprintField } from './fingerprint.ts';
import type { Approvals } from './trust-state.ts';

export interface TrustRecord {
  readonly project: string;
  readonly file: string;
  readonly agent: string;
  readonly name: string;
  readonly verdict: 'approved' | 'denied';
  readonly digest: string;
  readonly at: string;
  readonly fields: readonly FingerprintField[];
  /** Tools that the user allowed permanently, for the entry exactly as it was approved. */
  readonly allow?: readonly string[];
}

/** The user's decision on whether their own servers may start in a folder. */
export interface FolderRecord {
  /** The real path of the folder. */
  readonly folder: string;
  readonly verdict: 'trusted' | 'declined';
  readonly at: string;
}

/** A decision applies to one project, file, agent and server name. */
export function isAbout(record: TrustRecord, definition: ServerDefinition, project: string): boolean {
  return (
    record.project === project &&
    record.file === definition.origin.file &&
    record.agent === definition.origin.agent &&
    record.name === definition.name
  );
}

export interface TrustReading {
  readonly records: readonly TrustRecord[];
  /**
   * Items of the list that cannot be read. They decide nothing but are preserved: one may have been a denial.
   */
  readonly others: readonly JsonValue[];
  readonly folders: readonly FolderRecord[];
  /** Items of the list of folders that cannot be read. They are preserved, but trust no folder. */
  readonly otherFolders: readonly JsonValue[];
}

/** Reads the decisions. Undefined when the document is not a list of decisions. */
export function readTrustRecords(root: DocNode | undefined): TrustReading | undefined {
  const list = get(root, 'entries');
  const version = get(root, 'version');
  const folders = get(root, 'folders');
  if (list?.kind !== 'array' || (version !== undefined && toValue(version) !== 1)) return undefined;
  if (folders !== undefined && folders.kind !== 'array') return undefined;
  const [records, others] = readEach(list.items, readRecord);
  const [known, otherFolders] = readEach(folders?.items ?? [], readFolder);
  return { records, others, folders: known, otherFolders };
}

/** Returns the values that could be read, and the other items unchanged. */
function readEach<Read>(
  items: readonly DocNode[],
  read: (node: ObjectNode) => Read | undefined,
): readonly [readonly Read[], readonly JsonValue[]] {
  const results = items.map((item) => ({ item, value: item.kind === 'object' ? read(item) : undefined }));
  return [
    results.flatMap(({ value }) => (value === undefined ? [] : [value])),
    results.flatMap(({ item, value }) => (value === undefined ? [toValue(item)] : [])),
  ];
}

function readFolder(node: ObjectNode): FolderRecord | undefined {
  const [folder, verdict, at] = ['folder', 'verdict', 'at'].map((key) => stringAt(node, key));
  if (folder === undefined || (verdict !== 'trusted' && verdict !== 'declined')) return undefined;
  return { folder, verdict, at: at ?? '' };
}

function stringAt(node: ObjectNode, key: string): string | undefined {
  const value = get(node, key);
  return value?.kind === 'string' ? value.value : undefined;
}

function readRecord(node: ObjectNode): TrustRecord | undefined {
  const text = (key: string): string | undefined => stringAt(node, key);
  const [project, file, agent, name, verdict, digest] = [
    'project',
    'file',
    'agent',
    'name',
    'verdict',
    'digest',
  ].map(text);
  if (
    project === undefined ||
    file === undefined ||
    agent === undefined ||
    name === undefined ||
    digest === undefined
  )
    return undefined;
  if (verdict !== 'approved' && verdict !== 'denied') return undefined;
  const fields = get(node, 'fields');
  const allow = readTexts(get(node, 'allow'));
  return {
    project,
    file,
    agent,
    name,
    verdict,
    digest,
    at: text('at') ?? '',
    fields: fields?.kind === 'array' ? fields.items.flatMap(readField) : [],
    ...(allow.length === 0 ? {} : { allow }),
  };
}

function readTexts(node: DocNode | undefined): readonly string[] {
  if (node?.kind !== 'array') return [];
  return node.items.flatMap((item) => (item.kind === 'string' ? [item.value] : []));
}

function readField(node: DocNode): readonly FingerprintField[] {
  const [path, hash, shown, file] = ['path', 'hash', 'shown', 'file'].map((key) => {
    const value = dig(node, [key]);
    return value?.kind === 'string' ? value.value : undefined;
  });
  if (path === undefined || hash === undefined) return [];
  return [{ path, hash, shown: shown ?? '', ...(file === undefined ? {} : { file }) }];
}

export interface DecideParts {
  readonly machine: Machine;
  readonly approvals: Approvals;
  readonly now: () => Date;
}

export function decisionRecord(
  definition: ServerDefinition,
  verdict: TrustRecord['verdict'],
  parts: DecideParts,
): TrustRecord {
  const { digest, fields } = parts.approvals.fingerprintOf(definition);
  const { file, agent } = definition.origin;
  return {
    project: parts.machine.projectRoot,
    file,
    agent,
    name: definition.name,
    verdict,
    digest,
    at: parts.now().toISOString(),
    fields,
  };
}

/** Adds the record and removes earlier decisions about the same entry. */
export function withDecision(records: readonly TrustRecord[], record: TrustRecord): readonly TrustRecord[] {
  const others = records.filter(
    ({ project, file, agent, name }) =>
      project !== record.project || file !== record.file || agent !== record.agent || name !== record.name,
  );
  return [...others, record];
}

export function withoutDecision(
  records: readonly TrustRecord[],
  definition: ServerDefinition,
  project: string,
): readonly TrustRecord[] {
  return records.filter((record) => !isAbout(record, definition, project));
}
