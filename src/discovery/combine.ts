/**
 * Combines one agent's files into server definitions, by the agent's own rule. Pure. For each name, the
 * definition that takes precedence comes first.
 */

import type {
  AgentFormat,
  ConfigFile,
  EntryContext,
  Layer,
  RawEntry,
  Report,
} from '../agents/agent-format.ts';
import type { ObjectNode } from '../documents/tree.ts';
import type { Origin, ServerDefinition, SwitchedOff } from '../kernel/servers.ts';
import { countHidden } from '../masking/escape-text.ts';
import type { ReadLayer } from './load-source.ts';
import { isSwitchOff, mergeNodes, repeatedKey, switchField } from './entry-nodes.ts';
import { applySharedTimeouts, applySwitches, switchLists, type SwitchList } from './switches.ts';

/** An entry that is an object with a usable name, and the file that contains it. */
interface Candidate {
  readonly file: ConfigFile;
  readonly layer: Layer;
  readonly entry: RawEntry;
  readonly node: ObjectNode;
}

/** The combined result of an agent's files. */
interface Combined {
  readonly definitions: readonly ServerDefinition[];
  /** The agent's lists that switch servers off or on. */
  readonly switches: readonly SwitchList[];
}

/** Takes layers weakest first and returns definitions strongest first. */
export function combineLayers(format: AgentFormat, layers: readonly ReadLayer[]): Combined {
  if (layers.length === 0) return { definitions: [], switches: [] };
  const inForce = onlyExclusive(format, layers);
  const candidates = inForce.flatMap(({ file, layer }) => usable(file, layer));
  const definitions =
    format.combine === 'whole'
      ? candidates.flatMap((candidate) => readWhole(format, candidate, inForce)).toReversed()
      : readMerged(format, candidates);
  const switches = switchLists(format.id, inForce);
  return { definitions: applySwitches(applySharedTimeouts(definitions, inForce), switches), switches };
}

function onlyExclusive(format: AgentFormat, layers: readonly ReadLayer[]): readonly ReadLayer[] {
  const exclusive = layers.filter(({ layer }) => layer.exclusive === true);
  const [first] = exclusive;
  if (first === undefined) return layers;
  for (const { file, layer } of layers) {
    if (layer.exclusive === true || layer.entries.length === 0) continue;
    file.report({
      severity: 'warning',
      code: 'agent-ignores',
      at: 0,
      message: `${format.label} does not look at this file: ${first.file.path} is exclusive`,
    });
  }
  return exclusive;
}

const controlCharacters = /[\p{Cc}\p{Cs}]/u;

function usable(file: ConfigFile, layer: Layer): readonly Candidate[] {
  const repeated = repeatedIn(layer.entries);
  const seen = new Set<string>();
  const candidates: Candidate[] = [];
  // Iterate backwards, because the last of two entries with one name takes effect.
  for (const entry of layer.entries.toReversed()) {
    if (repeated.has(identityOf(entry)) && !acceptDuplicate(file, entry, seen)) continue;
    const { node } = entry;
    const problem = nameProblem(entry.name);
    if (node.kind === 'object' && problem === undefined) {
      if (acceptRepeatedKey(file, entry)) candidates.push({ file, layer, entry, node });
      continue;
    }
    file.report({
      severity: 'error',
      code: 'entry-invalid',
      at: entry.at,
      server: entry.name.slice(0, 100),
      message: problem ?? `server "${entry.name}" is not an object`,
    });
  }
  return candidates.toReversed();
}

/** A file may contain the same name in two scopes; it is a duplicate only within one scope. */
function identityOf({ name, scope }: RawEntry): string {
  return `${scope ?? ''}:${name}`;
}

function repeatedIn(entries: readonly RawEntry[]): ReadonlySet<string> {
  const [once, repeated] = [new Set<string>(), new Set<string>()];
  for (const entry of entries) {
    const identity = identityOf(entry);
    (once.has(identity) ? repeated : once).add(identity);
  }
  return repeated;
}

/**
 * Returns why a server name is not allowed, or `undefined` if it is.
 * Any name that can be displayed unchanged is allowed.
 */
export function nameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string') return 'a server name is not a string';
  if (name.trim() === '') return 'a server has an empty name';
  if (name.length > 100) return `a server name has ${name.length} characters; at most 100 are allowed`;
  if (controlCharacters.test(name)) return 'a server name has control characters';
  return countHidden(name) > 0 ? 'a server name has characters that cannot be seen' : undefined;
}

/**
 * Returns true for the entry that takes effect.
 * In a project's file, duplicates are an attack or a mistake, and neither takes effect.
 */
function acceptDuplicate(file: ConfigFile, entry: RawEntry, seen: Set<string>): boolean {
  const first = !seen.has(identityOf(entry));
  seen.add(identityOf(entry));
  const { guarded } = file.location;
  if (first) {
    const message = `"${entry.name}" is in this file twice; ${guarded ? 'neither is used' : 'the last one counts'}`;
    const severity = guarded ? 'error' : 'warning';
    file.report({
      severity,
      code: 'entry-duplicate',
      at: entry.at,
      server: entry.name,
      message,
      remedy: 'Remove one of them.',
    });
  }
  return first && !guarded;
}

/**
 * Does the same for a repeated field of an entry: a person who reviewed the file may have read the other one.
 */
function acceptRepeatedKey(file: ConfigFile, { name, node }: RawEntry): boolean {
  const repeated = repeatedKey(node);
  if (repeated === undefined) return true;
  const { guarded } = file.location;
  file.report({
    severity: guarded ? 'error' : 'warning',
    code: 'entry-duplicate',
    at: repeated.keyStart,
    server: name,
    message: `"${repeated.key}" is twice in "${name}"; ${guarded ? 'the entry is not used' : 'the last one counts'}`,
    remedy: 'Remove one of them.',
  });
  return !guarded;
}

function readWhole(
  format: AgentFormat,
  candidate: Candidate,
  layers: readonly ReadLayer[],
): readonly ServerDefinition[] {
  const context = contextOf(candidate, candidate.file.report);
  const reading = format.read(candidate.node, context);
  if (reading === undefined) return [];
  const origin = originOf(format, candidate);
  const { guarded } = candidate.file.location;
  const offBy = [
    ...(reading.enabled ? [] : offByEntry([candidate])),
    ...(guarded ? rejectionsOf(format, candidate, layers) : []),
  ];
  const off = offBy.length === 0 ? {} : { enabled: false, offBy };
  return [{ name: candidate.entry.name, ...reading, ...off, origin, guarded, parts: [origin], alsoIn: [] }];
}

function rejectionsOf(
  { id }: AgentFormat,
  { entry, node }: Candidate,
  layers: readonly ReadLayer[],
): readonly SwitchedOff[] {
  return layers.flatMap(({ file, layer: { rejections = [] } }) =>
    rejections
      .filter(({ name, isAbout }) => name === entry.name && isAbout(node))
      .map(({ at }): SwitchedOff => {
        const { line } = file.position(at);
        return { kind: 'switch', file: file.path, line, agent: id, rejected: true };
      }),
  );
}

function readMerged(format: AgentFormat, candidates: readonly Candidate[]): readonly ServerDefinition[] {
  const byName = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    if (format.accepts?.(candidate.node, contextOf(candidate, candidate.file.report)) === false) continue;
    const list = byName.get(candidate.entry.name);
    if (list === undefined) byName.set(candidate.entry.name, [candidate]);
    else list.push(candidate);
  }
  return [...byName.values()].flatMap((parts) => mergedDefinitions(format, parts));
}

/**
 * Returns the merge of all parts, followed by the merge of the user's own parts alone. The latter applies
 * until the former is approved.
 */
function mergedDefinitions(format: AgentFormat, parts: readonly Candidate[]): readonly ServerDefinition[] {
  const open = parts.filter(({ file, node }) => !file.location.guarded || isSwitchOff(node));
  const mixture = mergeParts(format, parts, 'loud');
  if (open.length === parts.length || !open.some(({ file }) => !file.location.guarded)) return mixture;
  return [...mixture, ...mergeParts(format, open, 'silent')];
}

function mergeParts(
  format: AgentFormat,
  parts: readonly Candidate[],
  voice: 'loud' | 'silent',
): readonly ServerDefinition[] {
  const strongest = parts.findLast(({ node }) => !isSwitchOff(node));
  if (strongest === undefined) return [];
  const node = parts.map((part) => part.node).reduce(mergeNodes);
  const report: Report = (complaint) => {
    if (voice === 'silent') return;
    const { start, end } = strongest.node;
    const at = complaint.at >= start && complaint.at <= end ? complaint.at : strongest.entry.at;
    strongest.file.report({ ...complaint, at });
  };
  const reading = format.read(node, contextOf(strongest, report));
  if (reading === undefined) return [];
  const guardedPart = parts.find(({ file, node: part }) => file.location.guarded && !isSwitchOff(part));
  const own = originOf(format, strongest);
  const origin = guardedPart === undefined ? own : { ...own, scope: originOf(format, guardedPart).scope };
  const origins = parts.map((part) => originOf(format, part));
  return [
    {
      name: strongest.entry.name,
      ...reading,
      ...(reading.enabled ? {} : { offBy: offByEntry(parts) }),
      origin,
      guarded: guardedPart !== undefined,
      parts: origins,
      alsoIn: [],
    },
  ];
}

/**
 * Locates the field that switches the entry off, in the strongest file that has one;
 * without one, the entry itself.
 */
function offByEntry(parts: readonly Candidate[]): readonly SwitchedOff[] {
  const strongestFirst = parts.toReversed();
  const fields = strongestFirst.flatMap(({ file, node }) => {
    const field = switchField(node);
    return field === undefined ? [] : [{ file, at: field.keyStart }];
  });
  const entries = strongestFirst.map(({ file, entry }) => ({ file, at: entry.at }));
  return [...fields, ...entries]
    .slice(0, 1)
    .map(({ file, at }) => ({ kind: 'entry', file: file.path, line: file.position(at).line }));
}

function contextOf({ file, layer, entry }: Candidate, report: Report): EntryContext {
  return {
    file,
    entry,
    inputs: layer.inputs ?? [],
    report: (complaint) => report({ server: entry.name, ...complaint }),
  };
}

function originOf(format: AgentFormat, { file, entry }: Candidate): Origin {
  const { line, column } = file.position(entry.at);
  return { agent: format.id, scope: entry.scope ?? file.location.scope, file: file.path, line, column };
}
