/**
 * Repairs results that the SDK's strict schemas would reject, where the meaning is clear: one bad tool in a
 * list removes only that tool, and an unknown content type becomes a note. Runs on every response, so it
 * copies only what it changes.
 */

import type { JSONRPCMessage } from '@modelcontextprotocol/client';

import { isObject, type JsonObject } from '../kernel/json.ts';
import type { Era } from '../kernel/phases.ts';
import { hasEdgeBlanks, showEdgeBlanks } from '../masking/edge-blanks.ts';
import {
  blocks,
  type Check,
  type EntryShape,
  type FieldChecks,
  fields,
  firstMissing,
  isFlag,
  isSound,
  isText,
  keepGood,
  shapes,
} from './repair/checks.ts';
import { mendInputSchema, type Mended } from './repair/input-schema.ts';

export interface RepairWarning {
  readonly code: 'entry-malformed' | 'entry-duplicate' | 'name-blank' | 'field-malformed' | 'content-unknown';
  readonly message: string;
}

export interface Repaired {
  /** The same object when nothing was repaired. */
  readonly message: JSONRPCMessage;
  readonly warnings: readonly RepairWarning[];
}

const none: readonly RepairWarning[] = [];

/** Repairs the response to a `requestMethod` request. Messages other than results are returned unchanged. */
export function repairMessage(
  message: JSONRPCMessage,
  requestMethod: string,
  era: Era = 'stateful',
): Repaired {
  if (!('result' in message) || !isObject(message.result)) return { message, warnings: none };
  const warnings: RepairWarning[] = [];
  const stamped = era === 'stateless' ? stamp(message.result, requestMethod) : message.result;
  const known = stamped['resultType'];
  const complete = known === undefined || known === 'complete' || !hasOtherForms.has(requestMethod);
  const result = complete ? repairResult(stamped, requestMethod, { era, warnings }) : stamped;
  if (result === message.result) return { message, warnings: none };
  return { message: { ...message, result }, warnings };
}

/**
 * Methods whose response may be an input request or a task. Other results are read as complete, whatever type
 * they claim.
 */
const hasOtherForms = new Set(['tools/call', 'prompts/get', 'resources/read']);

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

/** Adds fields that the stateless era requires in every result and that have an obvious default. */
function stamp(result: JsonObject, method: string): JsonObject {
  const missing: Record<string, unknown> = {};
  if (result['resultType'] === undefined) missing['resultType'] = 'complete';
  if (cacheable.has(method)) {
    const { ttlMs, cacheScope } = result as { readonly ttlMs?: unknown; readonly cacheScope?: unknown }; // untrusted, checked below
    if (!(Number.isSafeInteger(ttlMs) && (ttlMs as number) >= 0)) missing['ttlMs'] = 0; // checked on this line
    if (cacheScope !== 'public' && cacheScope !== 'private') missing['cacheScope'] = 'private';
  }
  for (const _ in missing) return { ...result, ...missing };
  return result;
}

type Repair = (result: JsonObject, notes: Notes) => JsonObject;

const greetingFields = fields({ instructions: isText });

const tools = { key: 'tools', what: 'tool', unique: true, visibleName: true, mend: mendInputSchema } as const;

const lists: Readonly<Record<string, Readonly<Record<Era, ListKind>> | ListKind>> = {
  'tools/list': {
    stateful: { ...tools, shape: shapes.tool.stateful },
    stateless: { ...tools, shape: shapes.tool.stateless },
  },
  'prompts/list': { key: 'prompts', what: 'prompt', shape: shapes.prompt, unique: true },
  'resources/list': { key: 'resources', what: 'resource', shape: shapes.resource, unique: false },
  'resources/templates/list': {
    key: 'resourceTemplates',
    what: 'resource template',
    shape: shapes.resourceTemplate,
    unique: false,
  },
};

const repairs: Readonly<Record<string, Repair>> = {
  'tools/call': repairCall,
  'prompts/get': repairPrompt,
  initialize: (result, notes) => keep(result, greetingFields, () => 'the answer to initialize', notes),
};

function repairResult(result: JsonObject, method: string, notes: Notes): JsonObject {
  const list = Object.hasOwn(lists, method) ? lists[method] : undefined;
  if (list !== undefined) return repairList(result, 'key' in list ? list : list[notes.era], notes);
  return Object.hasOwn(repairs, method) ? (repairs[method]?.(result, notes) ?? result) : result;
}

/** Returns `result` with `field` replaced, or `result` itself when the value is unchanged. */
function withField(result: JsonObject, field: string, value: unknown): JsonObject {
  return result[field] === value ? result : { ...result, [field]: value };
}

function keep(value: JsonObject, may: FieldChecks, where: () => string, { warnings }: Notes): JsonObject {
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
  /** Whether names must be unique, because calls address entries by name. */
  readonly unique: boolean;
  /**
   * Whether policy rules refer to entries of this kind by name. Their names must not have leading or trailing
   * blanks, which users cannot see.
   */
  readonly visibleName?: boolean;
  /** Repairs required fields where that is possible. */
  readonly mend?: (entry: JsonObject) => Mended;
}

const listFields = fields({ nextCursor: isText, _meta: isObject });

function repairList(result: JsonObject, kind: ListKind, notes: Notes): JsonObject {
  const checked = keep(result, listFields, () => `the list of ${kind.what}s`, notes);
  const given: unknown = checked[kind.key];
  if (!Array.isArray(given)) return checked;
  const sound = given.map((entry: unknown, index) =>
    isObject(entry) && isSound(entry, kind.shape) ? entry : repairEntry(entry, index, kind, notes),
  );
  const named = kind.visibleName === true ? sound.map((entry) => refuseBlanks(entry, kind, notes)) : sound;
  const kept = kind.unique ? keepFirst(named, kind, notes) : named.filter((entry) => entry !== undefined);
  const isSame = kept.length === given.length && kept.every((entry, index) => entry === given[index]);
  return isSame ? checked : withField(checked, kind.key, kept);
}

/**
 * Drops an entry whose name begins or ends with a blank: users and rules would take it for the name without
 * the blank.
 */
function refuseBlanks(
  entry: JsonObject | undefined,
  { what }: ListKind,
  notes: Notes,
): JsonObject | undefined {
  const name = entry?.['name'];
  if (typeof name !== 'string' || !hasEdgeBlanks(name)) return entry;
  const shown = showEdgeBlanks(name.length <= 100 ? name : `${name.slice(0, 50)}…${name.slice(-50)}`);
  const message = `${what} "${shown}" left out: its name begins or ends with a blank`;
  notes.warnings.push({ code: 'name-blank', message });
  return undefined;
}

/** Keeps the first entry of each name, because a call cannot distinguish two entries with the same name. */
function keepFirst(
  entries: readonly (JsonObject | undefined)[],
  { what }: ListKind,
  notes: Notes,
): readonly JsonObject[] {
  const seen = new Set<unknown>();
  return entries.filter((entry, index) => {
    if (entry === undefined) return false;
    const isFirst = !seen.has(entry['name']);
    const message = isFirst
      ? ''
      : `${what} ${nameOf(entry, index)} is listed more than once; the first is kept`;
    if (!isFirst) notes.warnings.push({ code: 'entry-duplicate', message });
    seen.add(entry['name']);
    return isFirst;
  }) as readonly JsonObject[]; // the filter removed undefined entries
}

function nameOf(entry: unknown, index: number): string {
  return isObject(entry) && typeof entry['name'] === 'string' && entry['name'] !== ''
    ? `"${entry['name'].slice(0, 100)}"`
    : `number ${index + 1}`;
}

function repairEntry(
  given: unknown,
  index: number,
  { what, shape, mend }: ListKind,
  notes: Notes,
): JsonObject | undefined {
  const { tool: entry, note } = isObject(given) && mend !== undefined ? mend(given) : { tool: given };
  const missing = isObject(entry) ? firstMissing(entry, shape.needs) : 'everything';
  const whose = `${what} ${nameOf(entry, index)}`;
  if (isObject(entry) && missing === undefined) {
    if (note !== undefined)
      notes.warnings.push({ code: 'field-malformed', message: `inputSchema of ${whose} ${note}` });
    return keep(entry, shape.may, () => whose, notes);
  }
  const message = `${whose} left out: ${missing} is missing or malformed`;
  notes.warnings.push({ code: 'entry-malformed', message });
  return undefined;
}

const isNotNull: Check = (value) => value !== null;
const callFields = {
  stateless: fields({ isError: isFlag, _meta: isObject }),
  stateful: fields({ isError: isFlag, _meta: isObject, structuredContent: isNotNull }),
} as const;

function repairCall(result: JsonObject, notes: Notes): JsonObject {
  const checked = keep(result, callFields[notes.era], () => 'the result', notes);
  const { content } = checked as { readonly content?: unknown }; // untrusted, checked below
  if (content === undefined && !('task' in checked)) return { ...checked, content: [] };
  if (!Array.isArray(content)) return checked;
  const repaired = content.map((block: unknown) => repairBlock(block, notes));
  return repaired.every((block, index) => block === content[index])
    ? checked
    : { ...checked, content: repaired };
}

const promptFields = fields({ description: isText, _meta: isObject });

function repairPrompt(result: JsonObject, notes: Notes): JsonObject {
  const checked = keep(result, promptFields, () => 'the prompt', notes);
  const { messages } = checked as { readonly messages?: unknown }; // untrusted, checked below
  if (!Array.isArray(messages)) return checked;
  const repaired = messages.map((message: unknown) =>
    isObject(message) ? withField(message, 'content', repairBlock(message['content'], notes)) : message,
  );
  return repaired.every((message, index) => message === messages[index])
    ? checked
    : { ...checked, messages: repaired };
}

/** Replaces an unreadable content block by a text block that says so. */
function repairBlock(block: unknown, notes: Notes): unknown {
  const type = isObject(block) && typeof block['type'] === 'string' ? block['type'] : '';
  const shape = blocks.get(type);
  if (isObject(block) && shape !== undefined && firstMissing(block, shape.needs) === undefined) {
    return keep(block, shape.may, () => `${type} content`, notes);
  }
  const what =
    shape === undefined
      ? `of the unknown type "${type.slice(0, 50)}"`
      : `of type "${type}" that is malformed`;
  notes.warnings.push({ code: 'content-unknown', message: `content ${what} was replaced by a note` });
  return { type: 'text', text: `[content ${what} was left out]` };
}
