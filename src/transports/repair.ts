/**
 * Makes of what a server sent what the SDK's strict reading accepts, where the meaning is plain: one bad tool among
 * forty costs that tool, an unknown kind of content becomes a note. Runs on every message, so it copies only what it changes.
 */

import type { JSONRPCMessage } from '@modelcontextprotocol/client';

import type { Era } from '../kernel/status.ts';
import {
  blockMay,
  blockNeeds,
  type Check,
  type EntryShape,
  type Fields,
  isFlag,
  isRecord,
  isText,
  shapes,
} from './repair/checks.ts';
import { firstMissing, keepGood } from './repair/fields.ts';

export interface RepairWarning {
  readonly code: 'entry-malformed' | 'entry-duplicate' | 'field-malformed' | 'content-unknown';
  readonly message: string;
}

export interface Repaired {
  /** The same object when nothing was wrong with it. */
  readonly message: JSONRPCMessage;
  readonly warnings: readonly RepairWarning[];
}

const none: readonly RepairWarning[] = [];

/** `requestMethod` is what the message answers; anything that is not a result is passed on as it is. */
export function repairMessage(
  message: JSONRPCMessage,
  requestMethod: string,
  era: Era = 'stateful',
): Repaired {
  if (!('result' in message) || !isRecord(message.result)) return { message, warnings: none };
  const warnings: RepairWarning[] = [];
  const stamped = era === 'stateless' ? stamp(message.result, requestMethod) : message.result;
  const known = stamped['resultType'];
  const complete = known === undefined || known === 'complete';
  const result = complete ? repairResult(stamped, requestMethod, { era, warnings }) : stamped;
  if (result === message.result) return { message, warnings: none };
  return { message: { ...message, result }, warnings };
}

interface Notes {
  readonly era: Era;
  readonly warnings: RepairWarning[];
}

const cacheable = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'server/discover',
]);

/** The stateless era wants these in every answer; what they mean when they are missing is beyond doubt. */
function stamp(result: Fields, method: string): Fields {
  const missing: Record<string, unknown> = {};
  if (result['resultType'] === undefined) missing['resultType'] = 'complete';
  if (cacheable.has(method)) {
    const { ttlMs, cacheScope } = result as { readonly ttlMs?: unknown; readonly cacheScope?: unknown }; // read, not trusted
    if (!(Number.isSafeInteger(ttlMs) && (ttlMs as number) >= 0)) missing['ttlMs'] = 0; // checked in the same line
    if (cacheScope !== 'public' && cacheScope !== 'private') missing['cacheScope'] = 'private';
  }
  for (const _ in missing) return { ...result, ...missing };
  return result;
}

type Repair = (result: Fields, notes: Notes) => Fields;

const repairs: Readonly<Record<string, Repair>> = {
  'tools/list': (result, notes) =>
    repairList(result, { key: 'tools', what: 'tool', shape: shapes.tool[notes.era], unique: true }, notes),
  'prompts/list': (result, notes) =>
    repairList(result, { key: 'prompts', what: 'prompt', shape: shapes.prompt, unique: true }, notes),
  'resources/list': (result, notes) =>
    repairList(result, { key: 'resources', what: 'resource', shape: shapes.resource, unique: false }, notes),
  'resources/templates/list': (result, notes) =>
    repairList(
      result,
      { key: 'resourceTemplates', what: 'resource template', shape: shapes.resourceTemplate, unique: false },
      notes,
    ),
  'tools/call': repairCall,
  'prompts/get': repairPrompt,
  initialize: (result, notes) =>
    keep(result, { instructions: isText }, () => 'the answer to initialize', notes),
};

function repairResult(result: Fields, method: string, notes: Notes): Fields {
  return Object.hasOwn(repairs, method) ? (repairs[method]?.(result, notes) ?? result) : result;
}

/** A result with `field` in place of what it had, or the same one when that is the same. */
function withField(result: Fields, field: string, value: unknown): Fields {
  return result[field] === value ? result : { ...result, [field]: value };
}

function keep(
  value: Fields,
  may: Readonly<Record<string, Check>>,
  where: () => string,
  { warnings }: Notes,
): Fields {
  const { value: good, dropped } = keepGood(value, may);
  if (dropped.length > 0)
    warnings.push({
      code: 'field-malformed',
      message: `${dropped.join(', ')} of ${where()} left out: malformed`,
    });
  return good;
}

interface ListKind {
  readonly key: string;
  readonly what: string;
  readonly shape: EntryShape;
  /** Whether a second entry with one name could ever be told from the first. */
  readonly unique: boolean;
}

function repairList(result: Fields, kind: ListKind, notes: Notes): Fields {
  const checked = keep(
    result,
    { nextCursor: isText, _meta: isRecord },
    () => `the list of ${kind.what}s`,
    notes,
  );
  const entries = checked[kind.key];
  if (!Array.isArray(entries)) return checked;
  const seen = new Set<unknown>();
  let changed = false;
  const good: Fields[] = [];
  for (const [index, entry] of entries.entries()) {
    const repaired = repairEntry(entry, { ...kind, index, seen }, notes);
    if (repaired !== undefined) good.push(repaired);
    changed ||= repaired !== entry;
  }
  return changed ? withField(checked, kind.key, good) : checked;
}

interface Place extends ListKind {
  readonly index: number;
  readonly seen: Set<unknown>;
}

function repairEntry(
  entry: unknown,
  { what, shape, unique, index, seen }: Place,
  notes: Notes,
): Fields | undefined {
  const name = (): string =>
    isRecord(entry) && typeof entry['name'] === 'string'
      ? `"${entry['name'].slice(0, 100)}"`
      : `number ${index + 1}`;
  const missing = isRecord(entry) ? firstMissing(entry, shape.needs) : 'everything';
  if (!isRecord(entry) || missing !== undefined) {
    notes.warnings.push({
      code: 'entry-malformed',
      message: `${what} ${name()} left out: ${missing} is missing or malformed`,
    });
    return undefined;
  }
  if (unique && seen.has(entry['name'])) {
    notes.warnings.push({
      code: 'entry-duplicate',
      message: `${what} ${name()} is listed more than once; the first is kept`,
    });
    return undefined;
  }
  seen.add(entry['name']);
  return keep(entry, shape.may, () => `${what} ${name()}`, notes);
}

function repairCall(result: Fields, notes: Notes): Fields {
  const may = {
    isError: isFlag,
    _meta: isRecord,
    ...(notes.era === 'stateful' ? { structuredContent: isNotNull } : {}),
  };
  const checked = keep(result, may, () => 'the result', notes);
  const { content } = checked as { readonly content?: unknown }; // read, not trusted
  if (content === undefined && !('task' in checked)) return { ...checked, content: [] };
  if (!Array.isArray(content)) return checked;
  const blocks = content.map((block: unknown) => repairBlock(block, notes));
  return blocks.every((block, index) => block === content[index]) ? checked : { ...checked, content: blocks };
}

const isNotNull: Check = (value) => value !== null;

function repairPrompt(result: Fields, notes: Notes): Fields {
  const checked = keep(result, { description: isText, _meta: isRecord }, () => 'the prompt', notes);
  const { messages } = checked as { readonly messages?: unknown }; // read, not trusted
  if (!Array.isArray(messages)) return checked;
  const repaired = messages.map((message: unknown) =>
    isRecord(message) ? withField(message, 'content', repairBlock(message['content'], notes)) : message,
  );
  return repaired.every((message, index) => message === messages[index])
    ? checked
    : { ...checked, messages: repaired };
}

/** What nobody can read becomes a text that says so, in the same place. */
function repairBlock(block: unknown, notes: Notes): unknown {
  const type = isRecord(block) && typeof block['type'] === 'string' ? block['type'] : '';
  const needs = Object.hasOwn(blockNeeds, type) ? blockNeeds[type] : undefined;
  if (isRecord(block) && needs !== undefined && firstMissing(block, needs) === undefined) {
    return keep(block, blockMay[type] ?? {}, () => `${type} content`, notes);
  }
  const what =
    needs === undefined
      ? `of the unknown type "${type.slice(0, 50)}"`
      : `of type "${type}" that is malformed`;
  notes.warnings.push({ code: 'content-unknown', message: `content ${what} was replaced by a note` });
  return { type: 'text', text: `[content ${what} was left out]` };
}
