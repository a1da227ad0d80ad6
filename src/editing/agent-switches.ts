/**
 * Switches that agents store outside a server's entry: the list that disables servers by name, and how to add
 * a name to it or remove one. The table contains only lists that released agents were seen to obey.
 */

import type { JsonValue } from '../kernel/json.ts';
import { formatOf, localFile, movedHome, projectFile, sameFolder } from '../agents/places.ts';
import {
  appendItem,
  insertEntry,
  removeEntry,
  removeItem,
  replaceValue,
  type EditResult,
  type Path,
} from '../documents/edit-document.ts';
import { parseDocument } from '../documents/parse-document.ts';
import { createLineIndex, dig, get, type DocNode, type ParsedDocument } from '../documents/tree.ts';
import type { AgentId } from '../kernel/agent-ids.ts';
import type { Machine } from '../kernel/machine.ts';
import type { ServerDefinition, SwitchedOff } from '../kernel/servers.ts';
import { changedMeanwhile, readSettled } from './read-settled.ts';
import { checkPlace, editFile, type FileEdited } from './edit-file.ts';
import type { EditParts } from './edit-parts.ts';
import type { Operation } from './previous-content.ts';
import { agentFormat } from '../agents/all-agents.ts';

/** Where an agent records that a server is off. */
export interface AgentSwitch {
  readonly agent: AgentId;
  readonly file: string;
  readonly path: Path;
  /** `list` holds names; `map` holds an object for each name. */
  readonly kind: 'list' | 'map';
  readonly notes: readonly string[];
}

interface Wanted {
  readonly definition: ServerDefinition;
  readonly root: (file: string) => Promise<DocNode | undefined>;
  readonly parts: EditParts;
}

type FindSwitch = (wanted: Wanted) => Promise<AgentSwitch> | AgentSwitch;

const switches: Partial<Record<AgentId, FindSwitch>> = {
  'claude-code': claudeSwitch,
  'copilot-cli': ({ parts: { machine } }) => ({
    agent: 'copilot-cli',
    file: machine.path.join(movedHome(machine, 'COPILOT_HOME', '.copilot'), 'settings.json'),
    path: ['disabledMcpServers'],
    kind: 'list',
    notes: [],
  }),
  gemini: ({ parts: { machine } }) => ({
    agent: 'gemini',
    file: machine.path.join(movedHome(machine, 'GEMINI_CLI_HOME'), '.gemini', 'mcp-server-enablement.json'),
    path: [],
    kind: 'map',
    notes: [],
  }),
  qwen: ({ definition: { origin }, parts: { machine } }) => ({
    agent: 'qwen',
    file: origin.agent === 'qwen' ? origin.file : projectFile(machine, ['.qwen', 'settings.json']).path,
    path: ['mcp', 'excluded'],
    kind: 'list',
    notes: ['Qwen Code sessions obey this; `qwen mcp list` shows the server all the same'],
  }),
};

async function claudeSwitch({ definition, root, parts: { machine } }: Wanted): Promise<AgentSwitch> {
  const { name, origin } = definition;
  if (origin.agent === 'mcp-json') {
    return {
      agent: 'claude-code',
      file: localFile(machine, ['.claude', 'settings.local.json']).path,
      path: ['disabledMcpjsonServers'],
      kind: 'list',
      notes: [`"${name}" is rejected in Claude Code; other agents that read ${origin.file} still start it`],
    };
  }
  const file = claudeFile(machine);
  const wanted = machine.inRepository ? machine.mainCheckout : machine.cwd;
  const projects = get(await root(file), 'projects');
  const known = projects?.kind === 'object' ? projects.entries.map(({ key }) => key) : [];
  const key = known.findLast((each) => sameFolder(each, wanted, machine)) ?? wanted;
  const isLocal = origin.scope === 'local';
  return {
    agent: 'claude-code',
    file,
    path: ['projects', key, 'disabledMcpServers'],
    kind: 'list',
    notes: isLocal ? [] : [`Claude Code keeps this switch for each folder: "${name}" is off in ${key} only`],
  };
}

function claudeFile(machine: Machine): string {
  return machine.path.join(movedHome(machine, 'CLAUDE_CONFIG_DIR'), '.claude.json');
}

/**
 * Returns the switch of the agent that a definition belongs to; undefined when it has none outside the entry.
 * A shared file belongs to the named reader, otherwise to Claude Code if that is in use.
 */
export async function findSwitch(
  definition: ServerDefinition,
  named: AgentId | undefined,
  parts: EditParts,
): Promise<AgentSwitch | undefined> {
  const { agent, scope } = definition.origin;
  if (scope === 'managed' || scope === 'runtime') return undefined;
  const reader = agent === 'mcp-json' ? sharedReader(definition, named, parts) : agent;
  if (reader === undefined) return undefined;
  const root = async (path: string): Promise<DocNode | undefined> => {
    const { bytes } = await readSettled(path, parts);
    const document = bytes === undefined ? undefined : await parseDocument(bytes, formatOf(path));
    return document?.ok === true ? document.root : undefined;
  };
  return switches[reader]?.({ definition, root, parts });
}

/** Returns the agent whose list applies to a server of a shared project file. */
function sharedReader(
  { origin: { file, scope } }: ServerDefinition,
  named: AgentId | undefined,
  { machine, files }: EditParts,
): AgentId | undefined {
  if (scope !== 'project') return undefined;
  if (named !== undefined && named !== 'claude-code') return named;
  const isClaudes = agentFormat('claude-code').sharesFile?.(file, machine) === true;
  const isUsed = named !== undefined || files.exists(claudeFile(machine));
  return isClaudes && isUsed ? 'claude-code' : undefined;
}

interface SwitchEdit {
  readonly name: string;
  readonly operation: Operation;
}

/** Formats what is written, for people. */
export function shownSwitch({ kind, path }: AgentSwitch, name: string): string {
  const key = path.at(-1);
  return JSON.stringify(kind === 'map' ? { [mapKey(name)]: { enabled: false } } : { [key ?? '']: [name] });
}

export async function switchOff(
  target: AgentSwitch,
  { name, operation }: SwitchEdit,
  parts: EditParts,
): Promise<FileEdited> {
  const { file, path, kind } = target;
  await checkPlace(file, parts);
  const format = formatOf(file);
  const change = async (text: string, { root }: ParsedDocument): Promise<EditResult> => {
    const node = dig(root, path);
    if (kind === 'list') {
      const listed = node?.kind === 'array' && node.items.some((item) => isText(item, name));
      return listed ? { ok: true, text } : appendItem(text, format, { path, value: name });
    }
    const key = mapKey(name);
    const value: JsonValue = { enabled: false };
    const edit = get(node, key) === undefined ? insertEntry : replaceValue;
    return edit(text, format, { path, key, value });
  };
  return editFile({ file, format, operation, change }, parts);
}

/** Gemini CLI writes names in lower case there. */
function mapKey(name: string): string {
  return name.trim().toLowerCase();
}

function isText(node: DocNode, text: string): boolean {
  return node.kind === 'string' && node.value === text;
}

/**
 * Removes a name from every list in one file that switches it off according to `causes`. Resolves to
 * undefined when one of them is not such a list.
 */
export async function switchOn(
  file: string,
  { name, operation, causes }: SwitchEdit & { readonly causes: readonly SwitchedOff[] },
  parts: EditParts,
): Promise<FileEdited | undefined> {
  const lines = new Set(causes.map(({ line }) => line));
  const { bytes } = await readSettled(file, parts);
  const format = formatOf(file);
  const document = bytes === undefined ? undefined : await parseDocument(bytes, format);
  if (document?.ok !== true) return undefined;
  const found = mentions(document, name, lines);
  if (new Set(found.map(({ line }) => line)).size < lines.size) return undefined;
  await checkPlace(file, parts);
  const change = async (text: string, now: ParsedDocument): Promise<EditResult> => {
    const places = mentions(now, name, lines);
    if (places.length !== found.length) throw changedMeanwhile(file);
    let result: EditResult = { ok: true, text };
    // Work backwards, so that the indexes of the remaining items stay valid.
    for (const { path, key } of places.toReversed()) {
      if (!result.ok) return result;
      result =
        typeof key === 'number'
          ? await removeItem(result.text, format, { path, index: key })
          : await removeEntry(result.text, format, { path, key });
    }
    return result;
  };
  return editFile({ file, format, operation, change }, parts);
}

interface Mention {
  readonly path: Path;
  readonly key: string | number;
  readonly line: number;
}

/** Finds list items that equal the name, and map entries that only switch it on or off, on these lines. */
function mentions(
  { text, root }: ParsedDocument,
  name: string,
  lines: ReadonlySet<number>,
): readonly Mention[] {
  const position = createLineIndex(text);
  const found: Mention[] = [];
  const note = (path: Path, key: string | number, at: number): void => {
    const { line } = position(at);
    if (lines.has(line)) found.push({ path, key, line });
  };
  const visit = (node: DocNode | undefined, path: Path): void => {
    if (node?.kind === 'array') {
      for (const [index, item] of node.items.entries()) {
        if (isText(item, name)) note(path, index, item.start);
        visit(item, [...path, index]);
      }
    }
    if (node?.kind !== 'object') return;
    for (const { key, keyStart, value } of node.entries) {
      if (mapKey(key) === mapKey(name) && isToggle(value)) note(path, key, keyStart);
      else visit(value, [...path, key]);
    }
  };
  visit(root, []);
  return found;
}

function isToggle(node: DocNode): boolean {
  return node.kind === 'object' && node.entries.length === 1 && node.entries[0]?.value.kind === 'boolean';
}
