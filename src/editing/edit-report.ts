/** The result of an edit, as data: which file, which entry, and what to know about it. */

import type { AgentId } from '../kernel/agent-ids.ts';
import type { Scope } from '../kernel/servers.ts';
import type { FileEdited } from './edit-file.ts';

export interface EditReport {
  readonly server: string;
  readonly agent: AgentId;
  readonly scope: Scope;
  /** The file that was written; `overrides.json` for an override. */
  readonly file: string;
  /**
   * `switch`: a list of the agent's holds the state. `override`: the agent has no switch that holt can write.
   */
  readonly how: 'file' | 'switch' | 'override';
  readonly outcome: FileEdited['outcome'];
  /** The entry on one line, secrets masked. */
  readonly entry: string;
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
}

type Reported = Pick<EditReport, 'server' | 'agent' | 'scope' | 'how' | 'warnings' | 'notes'> & {
  readonly shown: string;
};

export function reportOf(
  reported: Reported,
  { file, outcome, tightened, warnings: now }: FileEdited,
): EditReport {
  const { server, agent, scope, how, shown, warnings, notes } = reported;
  return {
    server,
    agent,
    scope,
    file,
    how,
    outcome,
    entry: shown,
    warnings: [...warnings, ...now],
    notes: tightened ? [...notes, tighteningNote(file, how)] : notes,
  };
}

export function tighteningNote(file: string, how: EditReport['how']): string {
  // holt's own files are always private, with or without a secret.
  const reason = how === 'override' ? '' : ' and holds a secret';
  return `${file} could be read by others${reason}: it is now private (0600)`;
}
