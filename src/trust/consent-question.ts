/** Everything a person needs to see before they let an entry run, as data. Front ends make it readable. */

import { commandsIn, filesIn, inputsIn, variablesIn } from '../dialects/mentions.ts';
import type { TrustQuestion } from '../kernel/interaction.ts';
import type { Machine } from '../kernel/machine.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { maskDefinition } from '../masking/mask-secrets.ts';
import { viewOf } from '../kernel/definition-view.ts';
import { diffFields } from './fingerprint.ts';
import { isAbout, type TrustRecord } from './trust-record.ts';
import type { Approvals, TrustState } from './trust-state.ts';
import { loaderVariables, trustWarnings } from './warnings.ts';

export interface ConsentParts {
  readonly machine: Machine;
  readonly approvals: Approvals;
  readonly records: readonly TrustRecord[];
  /** Where the command would be found, when that is known. */
  readonly resolveProgram?: ((command: string, cwd: string) => string | undefined) | undefined;
}

export function describeForConsent(definition: ServerDefinition, state: TrustState, parts: ConsentParts): TrustQuestion {
  const { machine, approvals } = parts;
  const print = approvals.fingerprintOf(definition);
  const approved = parts.records.find((record) => record.verdict === 'approved' && isAbout(record, definition, machine.projectRoot));
  const { launch } = definition;
  const program = launch.kind === 'stdio' ? parts.resolveProgram?.(launch.command, launch.cwd ?? machine.projectRoot) : undefined;
  return {
    server: definition.name,
    reason: state === 'changed' ? 'changed' : 'new',
    definition: shownDefinition(definition),
    digest: print.digest,
    changes: state === 'changed' && approved !== undefined ? diffFields(approved.fields, print.fields) : [],
    variables: [...new Set(variablesIn(definition).map(({ name }) => name))].toSorted(),
    destination: launch.kind === 'stdio' ? undefined : originOf(launch.url),
    commands: commandsIn(definition).map(({ line }) => line),
    files: filesIn(definition).map(({ file }) => file),
    inputs: inputsIn(definition).map(({ id }) => id),
    loaderVariables: loaderVariables(definition),
    warnings: trustWarnings(definition, machine).map(({ text }) => text),
    ...(program === undefined ? {} : { program }),
  };
}

/** Secrets are masked, but never a word of the command line: a package dressed up as a token would go unseen. */
function shownDefinition(definition: ServerDefinition): TrustQuestion['definition'] {
  const masked = viewOf(maskDefinition(definition));
  const { launch } = definition;
  return launch.kind === 'stdio' ? { ...masked, command: launch.command, args: launch.args } : masked;
}

/** Scheme, host and port never hold placeholders once a definition runs; here the text may be anything. */
function originOf(url: string): string {
  const match = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(url);
  const text = match?.[0] ?? url;
  return text.replace(/\/\/[^@/]*@/, '//');
}
