/**
 * Collects as data what a person needs to see: before they let an entry run, and about the approval they gave.
 * Front ends format it.
 */

import { commandsIn, filesIn, inputsIn, variablesIn } from '../dialects/mentions.ts';
import { parseTemplate } from '../dialects/parse-template.ts';
import { checkUrlTemplate } from '../dialects/template.ts';
import { viewOf } from '../kernel/definition-view.ts';
import type { TrustQuestion } from '../kernel/interaction.ts';
import type { Machine } from '../kernel/machine.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { maskArgs, maskDefinition } from '../masking/mask-secrets.ts';
import type { Files } from '../platform/files/files.ts';
import { changedFiles, diffFields, linkTarget } from './fingerprint.ts';
import { loaderVariables } from './naming/command-words.ts';
import { plainText } from './plain-text.ts';
import { projectFiles } from './project-code.ts';
import { isAbout, type TrustRecord } from './trust-record.ts';
import type { Approvals, TrustState } from './trust-state.ts';
import { trustWarnings } from './warnings.ts';

/** Returns the path of the program that a command would start. */
export type ResolveProgram = (command: string, cwd: string) => string | undefined;

export interface ConsentParts {
  readonly machine: Machine;
  readonly files: Files;
  readonly approvals: Approvals;
  readonly records: readonly TrustRecord[];
  readonly resolveProgram?: ResolveProgram | undefined;
}

export function describeForConsent(
  definition: ServerDefinition,
  state: TrustState,
  parts: ConsentParts,
): TrustQuestion {
  const { machine, approvals, files } = parts;
  const print = approvals.fingerprintOf(definition);
  const approved = approvalIn(parts.records, definition, machine);
  const program = programOf(definition, parts);
  const fileTarget = linkTarget(definition.origin.file, machine);
  return {
    server: definition.name,
    reason: state === 'changed' ? 'changed' : 'new',
    definition: shownDefinition(definition),
    digest: print.digest,
    changes: state === 'changed' && approved !== undefined ? diffFields(approved.fields, print.fields) : [],
    variables: variablesOf(definition),
    destination: destinationOf(definition),
    commands: commandsIn(definition).map(({ line }) => line),
    files: filesIn(definition).map(({ file }) => file),
    inputs: inputsIn(definition).map(({ id }) => id),
    loaderVariables: loaderVariables(definition),
    warnings: trustWarnings(
      definition,
      machine,
      projectFiles(definition, machine, files),
      print.notCovered,
    ).map(({ text }) => text),
    // A folder that the user declined to trust is not offered again.
    ...(approvals.folderTrust() === 'unknown' ? { folder: machine.projectRoot } : {}),
    ...(program === undefined ? {} : { program }),
    ...(fileTarget === undefined ? {} : { fileTarget }),
  };
}

function programOf(
  definition: ServerDefinition,
  { machine, resolveProgram }: ConsentParts,
): string | undefined {
  const { launch } = definition;
  if (launch.kind !== 'stdio') return undefined;
  const command = plainText(launch.command, 'command', definition, machine);
  const cwd = plainText(launch.cwd ?? '.', 'cwd', definition, machine);
  if (command.kind !== 'known' || cwd.kind !== 'known') return undefined;
  return resolveProgram?.(command.text, machine.path.resolve(machine.projectRoot, cwd.text));
}

/** Returns the names of the variables that the server receives beyond those that every program receives. */
function variablesOf(definition: ServerDefinition): readonly string[] {
  const { launch } = definition;
  const inherits = launch.kind === 'stdio' ? launch.inheritEnv : undefined;
  const listed: readonly string[] = inherits === undefined || typeof inherits === 'string' ? [] : inherits;
  return [...new Set([...variablesIn(definition).map(({ name }) => name), ...listed])].toSorted();
}

/**
 * Masks secrets, but shows plain words of the command line: a package named like a token must stay visible.
 */
function shownDefinition(definition: ServerDefinition): TrustQuestion['definition'] {
  const masked = viewOf(maskDefinition(definition));
  const { launch, dialect } = definition;
  if (launch.kind !== 'stdio') return masked;
  const hidden = maskArgs(launch.args, dialect);
  const args = launch.args.map((argument, index) =>
    isValue(argument, launch.args[index - 1]) ? (hidden[index] ?? '') : argument,
  );
  return { ...masked, command: launch.command, args };
}

/**
 * True for URLs, and for values that a flag or name in the same or the previous word marks as secret. Other
 * words are shown.
 */
function isValue(argument: string, before: string | undefined): boolean {
  if (before !== undefined && hidesLast(before, 'word')) return true;
  const name = /^-{0,2}[A-Za-z_][\w.-]*[=:]/.exec(argument)?.[0];
  return argument.includes('://') || (name !== undefined && hidesLast(`${name}word`));
}

function hidesLast(...words: readonly string[]): boolean {
  return maskArgs(words).at(-1) !== words.at(-1);
}

/**
 * Returns the scheme and host that receive a remote server's values, as the network resolves them. Undefined
 * for stdio servers.
 */
function destinationOf({ launch, dialect }: ServerDefinition): string | undefined {
  if (launch.kind === 'stdio') return undefined;
  const offending = checkUrlTemplate(parseTemplate(launch.url, dialect, 'url'));
  if (offending !== undefined || !URL.canParse(launch.url)) return 'a place that its URL does not show';
  const { protocol, host } = new URL(launch.url);
  return `${protocol}//${host}`;
}

/** Which changed files invalidated the approval of an entry, and what it does not cover. */
export interface ApprovalNotes {
  /** Files that changed since the approval. Empty while the approval holds. */
  readonly changed: readonly string[];
  readonly notCovered: readonly string[];
}

export interface ApprovalNotesParts {
  readonly machine: Pick<Machine, 'projectRoot'>;
  readonly approvals: Approvals;
  readonly records: () => readonly TrustRecord[];
}

export function approvalNotes(
  { definition, trust }: { readonly definition: ServerDefinition; readonly trust: TrustState },
  { machine, approvals, records }: ApprovalNotesParts,
): ApprovalNotes {
  if (!definition.guarded) return { changed: [], notCovered: [] };
  const { fields, notCovered = [] } = approvals.fingerprintOf(definition);
  if (trust !== 'changed') return { changed: [], notCovered };
  const approved = approvalIn(records(), definition, machine);
  return { changed: approved === undefined ? [] : changedFiles(approved.fields, fields), notCovered };
}

function approvalIn(
  records: readonly TrustRecord[],
  definition: ServerDefinition,
  { projectRoot }: Pick<Machine, 'projectRoot'>,
): TrustRecord | undefined {
  return records.find((record) => record.verdict === 'approved' && isAbout(record, definition, projectRoot));
}
