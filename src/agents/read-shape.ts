/** Turns an entry into the form that holt uses, in the words of a shape. Agents with their own rules wrap it. */

import { get, type ObjectNode } from '../documents/tree.ts';
import type { ToolFilter } from '../kernel/servers.ts';
import type { EntryContext } from './agent-format.ts';
import { firstPresent, readBoolean, readStrings, type Fields } from './fields.ts';
import { readLaunch, refuse } from './read-launch.ts';
import { dropKeys, splitCommand } from './reshape.ts';
import { switchesOf, type EntryReading, type ServerShape } from './server-shape.ts';
import { readTimeouts } from './timeout-fields.ts';

export function readShape(
  written: ObjectNode,
  shape: ServerShape,
  context: EntryContext,
): EntryReading | undefined {
  const node = shape.commandAs === 'list' ? withSplitCommand(written, shape, context) : written;
  if (node === undefined) return undefined;
  const fields: Fields = { node, report: context.report };
  const launch = readLaunch(fields, shape, context);
  if (launch === undefined) return undefined;
  const tools = readToolFilter(fields, shape, context);
  return {
    launch,
    enabled: readEnabled(fields, shape),
    timeouts: readTimeouts(fields, shape.timeouts ?? []),
    dialect: shape.dialect,
    ...(tools === undefined ? {} : { tools }),
    ...(context.inputs.length === 0 ? {} : { inputs: context.inputs }),
  };
}

/**
 * If the command is a list, `args` is ignored; if it is one string, it is read as for other agents.
 */
function withSplitCommand(
  node: ObjectNode,
  shape: ServerShape,
  context: EntryContext,
): ObjectNode | undefined {
  const command = get(node, 'command');
  if (command?.kind !== 'array') return node;
  const [program] = command.items;
  if (program?.kind === 'string' && program.value.trim() !== '') return splitCommand(node);
  const urls = shape.urls?.map(({ key }) => key) ?? ['url'];
  if (firstPresent(node, urls) !== undefined) return dropKeys(node, ['command']);
  return refuse(
    context,
    command.start,
    '"command" is a list that does not begin with a program',
    'Write ["program", "argument"].',
  );
}

function readEnabled(fields: Fields, shape: ServerShape): boolean {
  return switchesOf(shape)
    .map(({ key, value }) => readBoolean(fields, key) !== value)
    .every(Boolean);
}

function readToolFilter(fields: Fields, shape: ServerShape, context: EntryContext): ToolFilter | undefined {
  const include = readList(fields, shape.include);
  const exclude = readList(fields, shape.exclude);
  const autoApprove = readApprovals(fields, shape, context);
  if (include === undefined && exclude === undefined && autoApprove === undefined) return undefined;
  return {
    ...(include === undefined ? {} : { include }),
    ...(exclude === undefined ? {} : { exclude }),
    ...(autoApprove === undefined ? {} : { autoApprove }),
  };
}

/** Approvals that a project's file grants to its own servers do not count. */
function readApprovals(
  fields: Fields,
  shape: ServerShape,
  context: EntryContext,
): readonly string[] | undefined {
  const key = firstPresent(fields.node, shape.autoApprove ?? []);
  const all = shape.approveAll === undefined ? false : readBoolean(fields, shape.approveAll) === true;
  if (!context.file.location.guarded) return all ? ['*'] : readList(fields, shape.autoApprove);
  for (const name of [key, all ? shape.approveAll : undefined]) {
    if (name === undefined) continue;
    const at = get(fields.node, name)?.start ?? fields.node.start;
    const message = `"${name}" in a project file does not count: holt asks before these tools are used`;
    context.report({ severity: 'warning', code: 'self-approval', at, message });
  }
  return undefined;
}

function readList(fields: Fields, keys: readonly string[] | undefined): readonly string[] | undefined {
  const key = keys === undefined ? undefined : firstPresent(fields.node, keys);
  return key === undefined ? undefined : readStrings(fields, key);
}
