/**
 * `~/.holt/overrides.json`: switches servers on or off and sets other small options, for servers in files
 * that holt does not edit. An override applies to one definition: an agent, a scope, a file and a name in it.
 */

import { decodeText } from '../documents/decode.ts';
import { parseJson } from '../documents/json.ts';
import { createLineIndex, get, type DocNode, type ObjectNode } from '../documents/tree.ts';
import type { Machine } from '../kernel/machine.ts';
import type { Problem, ProblemCode } from '../kernel/problems.ts';
import type { InheritEnv, ServerDefinition } from '../kernel/servers.ts';
import type { Files } from '../platform/files/files.ts';

export interface OverrideKey {
  readonly agent: string;
  readonly scope: string;
  readonly file: string;
  readonly name: string;
  /** Set for local servers, because one file may define them for many projects. */
  readonly project?: string;
}

export interface Override extends OverrideKey {
  /** The line of the switch in the overrides file. */
  readonly line?: number;
  readonly enabled?: boolean;
  readonly inheritEnv?: InheritEnv;
}

export interface LoadedOverrides {
  /** Only the overrides that apply to this project. */
  readonly overrides: readonly Override[];
  readonly problems: readonly Problem[];
}

const maxBytes = 1 << 20;

export function overridesFile({ path, holtHome }: Machine): string {
  return path.join(holtHome, 'overrides.json');
}

/** Returns the key that identifies an override of this definition. */
export function overrideKey({ name, origin }: ServerDefinition, { projectRoot }: Machine): OverrideKey {
  const { agent, scope, file } = origin;
  return { agent, scope, file, name, ...(scope === 'local' ? { project: projectRoot } : {}) };
}

export function isSameKey(left: OverrideKey, right: OverrideKey): boolean {
  return (['agent', 'scope', 'file', 'name', 'project'] as const).every(
    (field) => left[field] === right[field],
  );
}

/** Reads the overrides. A file that cannot be read overrides nothing, and is reported as a problem. */
export function loadOverrides(machine: Machine, files: Files): LoadedOverrides {
  const file = overridesFile(machine);
  const outcome = files.load(file, maxBytes);
  if (outcome.kind === 'missing') return { overrides: [], problems: [] };
  const problem = (code: ProblemCode, message: string, place = { line: 1, column: 1 }): Problem => ({
    severity: code === 'field-invalid' ? 'warning' : 'error',
    code,
    file,
    ...place,
    message,
  });
  if (outcome.kind !== 'file') {
    return {
      overrides: [],
      problems: [problem('file-unreadable', 'the file cannot be read: no override counts')],
    };
  }
  const document = parseJson(decodeText(outcome.bytes).text, { bom: false, utf16: false });
  const position = createLineIndex(document.text);
  if (!document.ok) {
    const message = `not valid JSON: ${document.message}; no override counts`;
    return { overrides: [], problems: [problem('file-syntax', message, position(document.offset))] };
  }
  const list = get(document.root, 'overrides');
  const problems: Problem[] = [];
  const overrides = (list?.kind === 'array' ? list.items : []).flatMap((item) => {
    const override = item.kind === 'object' ? readOverride(item) : undefined;
    if (override !== undefined && item.kind === 'object') return [withLine(override, item, position)];
    problems.push(problem('field-invalid', 'this is not an override; it is ignored', position(item.start)));
    return [];
  });
  const here = ({ project }: Override): boolean => project === undefined || project === machine.projectRoot;
  return { overrides: overrides.filter(here), problems };
}

export function readOverride(node: ObjectNode): Override | undefined {
  const [agent, scope, file, name, project] = ['agent', 'scope', 'file', 'name', 'project'].map((key) =>
    textOf(node, key),
  );
  if (agent === undefined || scope === undefined || file === undefined || name === undefined)
    return undefined;
  const enabled = get(node, 'enabled');
  const inheritEnv = readInheritEnv(get(node, 'inheritEnv'));
  return {
    agent,
    scope,
    file,
    name,
    ...(project === undefined ? {} : { project }),
    ...(enabled?.kind === 'boolean' ? { enabled: enabled.value } : {}),
    ...(inheritEnv === undefined ? {} : { inheritEnv }),
  };
}

function readInheritEnv(node: DocNode | undefined): InheritEnv | undefined {
  if (node?.kind === 'string') return node.value === 'all' || node.value === 'safe' ? node.value : undefined;
  if (node?.kind !== 'array') return undefined;
  return node.items.flatMap((item) => (item.kind === 'string' ? [item.value] : []));
}

function textOf(node: ObjectNode, key: string): string | undefined {
  const value = get(node, key);
  return value?.kind === 'string' ? value.value : undefined;
}

function withLine(
  override: Override,
  item: ObjectNode,
  position: (offset: number) => { readonly line: number },
): Override {
  const field = item.entries.findLast(({ key }) => key === 'enabled');
  return { ...override, line: position(field?.keyStart ?? item.start).line };
}

/** Applies the user's overrides. A server that an administrator disabled stays off. */
export function applyOverrides(
  definitions: readonly ServerDefinition[],
  overrides: readonly Override[],
  file: string,
): readonly ServerDefinition[] {
  if (overrides.length === 0) return definitions;
  return definitions.map((definition) => {
    const { agent, scope, file: own } = definition.origin;
    const override = overrides.findLast(
      (candidate) =>
        candidate.name === definition.name &&
        candidate.file === own &&
        candidate.agent === agent &&
        candidate.scope === scope,
    );
    return override === undefined ? definition : overridden(definition, override, file);
  });
}

function overridden(
  definition: ServerDefinition,
  { enabled, inheritEnv, line = 1 }: Override,
  file: string,
): ServerDefinition {
  const { launch, offBy = [] } = definition;
  const isLocked = definition.origin.scope === 'managed' && !definition.enabled;
  return {
    ...definition,
    enabled: isLocked ? false : (enabled ?? definition.enabled),
    ...(enabled === false ? { offBy: [...offBy, { kind: 'override', file, line }] } : {}),
    launch: launch.kind === 'stdio' && inheritEnv !== undefined ? { ...launch, inheritEnv } : launch,
  };
}
