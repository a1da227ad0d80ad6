/**
 * opencode and the agents derived from it: servers under `mcp`, `local` or `remote`, with the command as one
 * list. Each of the many files is checked separately before they are merged field by field.
 * `.opencode/config.json` is not opencode's own (see chimera-otter.ts).
 */

import type { Path } from '../documents/edit-document.ts';
import { dig, get, type DocNode, type ObjectNode } from '../documents/tree.ts';
import type { JsonMap } from '../kernel/json.ts';
import { startLimitOf } from '../kernel/phases.ts';
import type { AgentFormat, AgentWriter, EntryContainer, EntryContext } from './agent-format.ts';
import { commonOAuth, commonTypes, type EntryReading, type ServerShape } from './server-shape.ts';
import { createWriter, firstExisting } from './create-writer.ts';
import { reportFieldWarnings, reportNonStrings, type FieldWarning } from './field-warnings.ts';
import { familyFiles, familyLayer, isEnvelope, readStartLimit, type FamilyNames } from './opencode-files.ts';
import { xdgConfig } from './places.ts';
import { readShape } from './read-shape.ts';

const ownTypes = { local: 'stdio', remote: 'http' } as const;

const baseShape = {
  dialect: 'opencode',
  commandAs: 'list',
  // Only the first two are its own; `acceptsEntry` reports the others.
  typeNames: { ...ownTypes, ...commonTypes },
  both: 'type-decides',
  env: ['environment'],
  off: { key: 'enabled', value: false },
  timeouts: [{ key: 'timeout', unit: 'ms', means: 'phases' }],
  oauth: {
    ...commonOAuth,
    scopes: 'scope',
    scopesAs: 'text',
    callbackPort: 'callbackPort',
    redirectUri: 'redirectUri',
    writesFalse: true,
  },
  writes: { types: { stdio: 'local', http: 'remote', sse: 'remote' } },
} as const satisfies ServerShape;

/** For files with servers in `mcp.servers`. They are read in the older spelling (see opencode-layer.ts). */
const newerShape: ServerShape = {
  ...baseShape,
  timeouts: [],
  oauth: {
    ...baseShape.oauth,
    clientId: 'client_id',
    clientSecret: 'client_secret',
    callbackPort: 'callback_port',
    redirectUri: 'redirect_uri',
  },
  off: { key: 'disabled', value: true },
  writes: { ...baseShape.writes, finish: addLimits },
};

function addLimits(entry: JsonMap, { timeouts }: EntryReading): JsonMap {
  const { idleMs } = timeouts;
  const startMs = startLimitOf(timeouts);
  const limits = {
    ...(startMs === undefined ? {} : { startup: startMs }),
    ...(idleMs === undefined ? {} : { execution: idleMs }),
  };
  return Object.keys(limits).length === 0 ? entry : { ...entry, timeout: limits };
}

export interface Family {
  readonly label: string;
  /** The fields that contain the program's environment. */
  readonly env: readonly string[];
}

export function shapeOf({ env }: Family): ServerShape {
  return { ...baseShape, env };
}

/** The choices for the user's file are below the family's folder in `~/.config`. */
export function familyWriter(
  shape: ServerShape,
  folder: string,
  files: { readonly user: readonly string[]; readonly project: readonly string[] },
): AgentWriter {
  return createWriter({
    shape,
    files: {
      user: (lookup) => firstExisting(lookup, xdgConfig(lookup.machine, folder), files.user),
      project: files.project,
    },
    container: familyContainer,
    shapeAt: (path: Path) => (path[1] === 'servers' ? newerShape : shape),
  });
}

function familyContainer(root: DocNode | undefined): EntryContainer {
  const isNewer = isEnvelope(dig(root, ['mcp', 'servers']));
  return { kind: 'map', paths: isNewer ? [['mcp', 'servers'], ['mcp']] : [['mcp']] };
}

/** True for an entry that only switches a server of another file on or off. */
function isToggle(node: ObjectNode): boolean {
  const [only, ...others] = node.entries;
  return others.length === 0 && only?.key === 'enabled' && only.value.kind === 'boolean';
}

/** Checks an entry within its file: it must be a whole server or just the switch. */
export function acceptsEntry(node: ObjectNode, context: EntryContext, family: Family): boolean {
  if (isToggle(node)) return true;
  const reading = readEntry(node, { ...context, report: () => undefined }, family);
  if (reading === undefined) {
    readEntry(node, context, family);
    return false;
  }
  const refuses = `${family.label} refuses its whole config`;
  const refusal = refusalOf(node, reading);
  if (refusal !== undefined) {
    const { reason, ...place } = refusal;
    context.report({
      severity: 'warning',
      code: 'agent-refuses',
      message: `${refuses}: ${reason}`,
      ...place,
    });
  }
  reportNonStrings(node, context, [...family.env, 'headers'], refuses);
  if (get(node, 'command')?.kind !== 'string') reportFieldWarnings(node, context, warningsFor(family));
  return true;
}

function refusalOf(
  node: ObjectNode,
  { launch }: EntryReading,
): { at: number; reason: string; remedy: string } | undefined {
  const type = get(node, 'type');
  if (type?.kind !== 'string' || !Object.hasOwn(ownTypes, type.value)) {
    const remedy = `Write "type": "${launch.kind === 'stdio' ? 'local' : 'remote'}".`;
    return { at: type?.start ?? node.start, reason: '"type" is neither "local" nor "remote"', remedy };
  }
  const command = get(node, 'command');
  if (command?.kind !== 'string') return undefined;
  return { at: command.start, reason: '"command" is one text', remedy: 'Write it as a list.' };
}

/** Fields that are silently dropped when the server is started. */
function warningsFor({ label, env }: Family): readonly FieldWarning[] {
  const vanishes = (key: string, remedy: string): FieldWarning => ({
    key,
    code: 'agent-ignores',
    message: `${label} passes over "${key}": the server runs without it`,
    remedy,
  });
  const args = vanishes('args', 'Put the arguments into "command".');
  return env.includes('env') ? [args] : [args, vanishes('env', 'Call it "environment".')];
}

export function readEntry(node: ObjectNode, context: EntryContext, family: Family): EntryReading | undefined {
  if (isToggle(node)) {
    const message = `"${context.entry.name}" is only switched on here, and no other file defines it`;
    context.report({ severity: 'warning', code: 'agent-ignores', at: context.entry.at, message });
    return undefined;
  }
  const reading = readShape(node, { ...shapeOf(family), timeouts: [] }, context);
  if (reading === undefined) return undefined;
  // The limit may also be an object, which no table of keys describes.
  const limits = readStartLimit(node, context);
  const phases = { ...limits.phases, ...reading.timeouts.phases };
  return { ...reading, timeouts: { ...limits, ...(Object.keys(phases).length === 0 ? {} : { phases }) } };
}

const family: Family = { label: 'opencode', env: baseShape.env };

const files = ['opencode.json', 'opencode.jsonc'];

const names: FamilyNames = {
  variables: 'OPENCODE',
  folder: 'opencode',
  userFiles: ['config.json', ...files],
  projectFiles: files,
  dotFolders: ['.opencode'],
  dotFiles: files,
};

export const opencode: AgentFormat = {
  id: 'opencode',
  label: 'opencode',
  shape: baseShape,
  combine: 'fields',
  locate: (machine) => familyFiles(machine, names),
  layer: (file) => familyLayer(file, family.label),
  accepts: (node, context) => acceptsEntry(node, context, family),
  read: (node, context) => readEntry(node, context, family),
  writer: familyWriter(baseShape, 'opencode', {
    user: [...files, 'config.json'],
    project: [...files, ...files.map((file) => `.opencode/${file}`)],
  }),
};
