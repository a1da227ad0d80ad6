/**
 * How opencode and the agents derived from it spell a server: `type` is local or remote, and the command is
 * one list. Each file is checked separately before they are merged field by field.
 */

import { get, type ObjectNode } from '../documents/tree.ts';
import type { EntryContext, EntryReading } from './agent-format.ts';
import { reportHabits, type Habit } from './habits.ts';
import { readStartLimit } from './opencode-layer.ts';
import { reportOddValues } from './refused-values.ts';
import { readListShape } from './reshape.ts';
import { commonTypes, type ServerShape } from './server-shape.ts';

export interface Family {
  readonly label: string;
  /** The fields that contain the program's environment. */
  readonly env: readonly string[];
}

const ownTypes = { local: 'stdio', remote: 'http' } as const;

function shapeOf(family: Family): ServerShape {
  return {
    dialect: 'opencode',
    // Only the first two are its own; `acceptsEntry` reports the others.
    typeNames: { ...ownTypes, ...commonTypes },
    both: 'type-decides',
    env: family.env,
    off: { key: 'enabled', value: false },
    oauth: {
      key: 'oauth',
      clientId: 'clientId',
      clientSecret: 'clientSecret',
      scopes: 'scope',
      callbackPort: 'callbackPort',
      redirectUri: 'redirectUri',
    },
  };
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
  reportOddValues(node, context, [...family.env, 'headers'], refuses);
  if (get(node, 'command')?.kind !== 'string') reportHabits(node, context, habitsOf(family));
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
function habitsOf({ label, env }: Family): readonly Habit[] {
  const vanishes = (key: string, remedy: string): Habit => ({
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
  const reading = readListShape(node, shapeOf(family), context);
  if (reading === undefined) return undefined;
  const limits = readStartLimit(node, context);
  const phases = { ...limits.phases, ...reading.timeouts.phases };
  return { ...reading, timeouts: { ...limits, ...(Object.keys(phases).length === 0 ? {} : { phases }) } };
}
