/**
 * `holt enable` and `holt disable`: sets the agent's own switch if it has one, in the entry or in a separate
 * list; otherwise sets an override in holt.
 */

import type { AgentId } from '../kernel/agent-ids.ts';
import { HoltError } from '../kernel/errors.ts';
import type { ServerDefinition, SwitchedOff } from '../kernel/servers.ts';
import { findSwitch, shownSwitch, switchOff, switchOn } from './agent-switches.ts';
import type { FileEdited } from './edit-file.ts';
import { withMemory, type EditParts } from './edit-parts.ts';
import { reportOf, type EditReport } from './edit-report.ts';
import { notOurs, whyNotOurs } from './entries/existing-entry.ts';
import { flipEntry } from './entries/flip-entry.ts';
import { overrideOf, setOverride } from './overrides.ts';
import { newOperation, type Operation } from './previous-content.ts';

export type SwitchState = 'on' | 'off';

export interface SetEnabledOptions {
  /** For a server of a shared file: the agent whose switch to set. */
  readonly agent?: AgentId | undefined;
  /** Set when this is one of several edits that are undone together. */
  readonly operation?: Operation | undefined;
}

/** A switch that was set, for the report. */
interface Switched {
  readonly how: EditReport['how'];
  readonly edited: FileEdited;
  readonly shown: string;
  readonly notes: readonly string[];
}

type Attempt = Switched | { readonly obstacle: string };

interface Turning {
  readonly wanted: SwitchState;
  readonly operation: Operation;
  readonly agent: AgentId | undefined;
}

/**
 * `definition` must come from the roster, with overrides applied. Rejects with `config-not-ours` when an
 * administrator disabled the server.
 */
export async function setEnabled(
  definition: ServerDefinition,
  wanted: SwitchState,
  given: EditParts,
  { agent, operation = newOperation(titleOf(definition, wanted)) }: SetEnabledOptions = {},
): Promise<EditReport> {
  const parts = withMemory(given);
  const { name, origin } = definition;
  if (isLocked(definition, wanted, parts))
    throw notOurs(definition, `an administrator switched it off in ${origin.file}`, 'Ask them.');
  const turning = { wanted, operation, agent };
  const { how, edited, shown, notes } = await (wanted === 'on' ? turnOn : turnOff)(
    definition,
    turning,
    parts,
  );
  const report = { server: name, agent: origin.agent, scope: origin.scope, warnings: [], notes } as const;
  return reportOf({ ...report, how, shown }, edited);
}

function titleOf({ name }: ServerDefinition, wanted: SwitchState): string {
  return `${wanted === 'on' ? 'enable' : 'disable'} ${name}`;
}

function isLocked(definition: ServerDefinition, wanted: SwitchState, parts: EditParts): boolean {
  if (definition.origin.scope !== 'managed' || wanted === 'off' || definition.enabled) return false;
  return overrideOf(definition, parts).enabled !== false;
}

async function turnOff(definition: ServerDefinition, turning: Turning, parts: EditParts): Promise<Switched> {
  const first = await flipInFile(definition, turning, parts);
  const attempt = 'obstacle' in first ? await putOnList(definition, turning, parts, first.obstacle) : first;
  if (!('obstacle' in attempt)) {
    await clearOverride(definition, turning.operation, parts);
    return attempt;
  }
  const cause = causesInFiles(definition).at(-1);
  if (!definition.enabled && cause !== undefined) return asItWas(cause.file, 'off');
  return override(definition, turning, parts, attempt.obstacle);
}

/** Every switch that is off must be turned on; holt's override only helps where one cannot be. */
async function turnOn(definition: ServerDefinition, turning: Turning, parts: EditParts): Promise<Switched> {
  const causes = causesInFiles(definition);
  const { enabled: overridden } = overrideOf(definition, parts);
  if (definition.enabled && (overridden === undefined || causes.length > 0))
    return asItWas(definition.origin.file, 'on');
  const done: Switched[] = [];
  for (const file of new Set(causes.map((cause) => cause.file))) {
    const own = causes.filter((cause) => cause.file === file);
    for (const kind of ['switch', 'entry'] as const) {
      const same = own.filter((cause) => cause.kind === kind);
      if (same.length === 0) continue;
      const attempt = await (kind === 'entry'
        ? flipInFile(definition, turning, parts)
        : takeOffList(definition, same, turning, parts));
      if ('obstacle' in attempt) return override(definition, turning, parts, attempt.obstacle);
      done.push(attempt);
    }
  }
  const [first, ...others] = done;
  if (first === undefined) return dropOverride(definition, turning, parts);
  await clearOverride(definition, turning.operation, parts);
  const more = others.map(({ edited }) => `also changed ${edited.file}`);
  return { ...first, notes: [...first.notes, ...more] };
}

function causesInFiles({ offBy = [] }: ServerDefinition): readonly SwitchedOff[] {
  return offBy.filter(({ kind }) => kind !== 'override');
}

function asItWas(file: string, state: SwitchState): Switched {
  const edited = { file, outcome: 'unchanged', tightened: false, warnings: [] } as const;
  return { how: 'file', edited, shown: shownState(state), notes: [`it was ${state} already`] };
}

function shownState(state: SwitchState): string {
  return JSON.stringify({ enabled: state === 'on' });
}

/** Sets the switch in the agent's own file, if holt may edit that file. */
async function flipInFile(
  definition: ServerDefinition,
  { wanted, operation }: Turning,
  parts: EditParts,
): Promise<Attempt> {
  const reason = whyNotOurs(definition);
  if (reason !== undefined) return { obstacle: reason };
  return attemptEdit(async () => {
    const flipped = await flipEntry(definition, { wanted, operation }, parts);
    return 'obstacle' in flipped ? flipped : { how: 'file', notes: [], ...flipped };
  });
}

async function putOnList(
  definition: ServerDefinition,
  { agent, operation }: Turning,
  parts: EditParts,
  obstacle: string,
): Promise<Attempt> {
  return attemptEdit(async () => {
    const target = await findSwitch(definition, agent, parts);
    if (target === undefined) return { obstacle };
    const { name } = definition;
    const edited = await switchOff(target, { name, operation }, parts);
    return { how: 'switch', edited, shown: shownSwitch(target, name), notes: target.notes };
  });
}

async function takeOffList(
  definition: ServerDefinition,
  causes: readonly SwitchedOff[],
  { operation }: Turning,
  parts: EditParts,
): Promise<Attempt> {
  const { name, origin } = definition;
  const file = causes[0]?.file ?? origin.file;
  return attemptEdit(async () => {
    const edited = await switchOn(file, { name, operation, causes }, parts);
    if (edited === undefined) return { obstacle: `${file} switches it off in a way that holt does not edit` };
    return { how: 'switch', edited, shown: shownState('on'), notes: [] };
  });
}

/**
 * Runs an edit of an agent's file, or returns why it is impossible. Rejects with errors that a retry may
 * solve.
 */
async function attemptEdit(edit: () => Promise<Attempt>): Promise<Attempt> {
  try {
    return await edit();
  } catch (error) {
    const obstacle = whyUneditable(error);
    if (obstacle === undefined) throw error;
    return { obstacle };
  }
}

/** Reasons that a retry does not solve. holt then treats the file as not editable. */
const lasting: ReadonlySet<string> = new Set([
  'link-outside-folder',
  'link-broken',
  'EACCES',
  'EPERM',
  'EROFS',
]);

function whyUneditable(error: unknown): string | undefined {
  if (HoltError.is(error, 'config-unwritable') && lasting.has(error.details.reason)) return error.message;
  return HoltError.is(error, 'config-invalid') ? error.message : undefined;
}

async function override(
  definition: ServerDefinition,
  { wanted, operation }: Turning,
  parts: EditParts,
  obstacle: string,
): Promise<Switched> {
  const edited = await setOverride(definition, { enabled: wanted === 'on' }, operation, parts);
  const notes = [`${obstacle}: only holt knows that it is ${wanted}`];
  return { how: 'override', edited, shown: shownState(wanted), notes };
}

/** For when nothing but the override switches the server off. */
async function dropOverride(
  definition: ServerDefinition,
  { operation }: Turning,
  parts: EditParts,
): Promise<Switched> {
  const edited = await setOverride(definition, { enabled: null }, operation, parts);
  const notes = [`holt's own override is removed; ${definition.origin.file} says that it is on`];
  return { how: 'override', edited, shown: shownState('on'), notes };
}

/** Removes an override that could contradict the file. */
async function clearOverride(
  definition: ServerDefinition,
  operation: Operation,
  parts: EditParts,
): Promise<void> {
  if (overrideOf(definition, parts).enabled === undefined) return;
  await setOverride(definition, { enabled: null }, operation, parts);
}
