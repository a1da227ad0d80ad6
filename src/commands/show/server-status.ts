/** Shows the status of a server, as lines and as JSON. */

import type { ServerReport } from '../../connection/supervisor.ts';
import { nameWord } from '../../kernel/shell-words.ts';
import { escapeBlock, escapeLine } from '../../masking/escape-text.ts';
import type { Problem } from '../../kernel/problems.ts';
import type { ApprovalNotes } from '../../trust/consent-question.ts';
import { notCoveredText } from '../../trust/warnings.ts';
import type { Style } from '../../terminal/style.ts';

export interface StatusRow {
  readonly name: string;
  readonly report: ServerReport;
  readonly notes?: StatusNotes;
}

/** Further facts that the user should know about a server. */
interface StatusNotes extends ApprovalNotes {
  /** Changed instructions, withheld tools and cut lists. */
  readonly problems: readonly Problem[];
}

export function noteLines({ changed, notCovered, problems }: StatusNotes): readonly string[] {
  return [
    ...(changed.length === 0 ? [] : [`changed: ${changed.join(', ')}`]),
    ...problems.flatMap(({ message, remedy }) => [message, ...(remedy === undefined ? [] : [remedy])]),
    ...(notCovered.length === 0 ? [] : [notCoveredText(notCovered)]),
  ].map((line) => `  ${escapeLine(line)}`);
}

export function notesJson(notes: StatusNotes | undefined): object {
  if (notes === undefined) return {};
  const { changed, notCovered, problems } = notes;
  return {
    ...(changed.length === 0 ? {} : { changed }),
    ...(notCovered.length === 0 ? {} : { notCovered }),
    ...(problems.length === 0 ? {} : { problems }),
  };
}

function count(items: readonly unknown[], word: string): string {
  return `${items.length} ${word}${items.length === 1 ? '' : 's'}`;
}

function enableFirst(name: string): string {
  return `Run holt enable ${nameWord(name)} first.`;
}

/** The remedy for a status. A server that was not started has no error with one. */
export function remedyFor(name: string, { status: state, remedy }: ServerReport): string | undefined {
  if (remedy !== undefined) return remedy;
  if (state.status === 'disabled') return enableFirst(name);
  if (state.status === 'needs_input') return `holt test ${nameWord(name)} asks for it.`;
  if (state.status !== 'untrusted') return undefined;
  if (state.reason === 'folder') return 'holt trust --folder trusts this folder.';
  return `Look at it and approve it with holt trust ${nameWord(name)}.`;
}

export function statusLines({ name, report }: StatusRow, style: Style): readonly string[] {
  const { status: state, era, protocol, lists, ms } = report;
  const counts =
    lists === undefined
      ? ''
      : `  ${[count(lists.tools, 'tool'), count(lists.resources, 'resource'), count(lists.prompts, 'prompt')].join(', ')}`;
  const paint =
    state.status === 'connected'
      ? style.green
      : state.status === 'failed' || state.status === 'blocked'
        ? style.red
        : style.yellow;
  const protocolText = protocol === undefined ? '' : `  ${era} ${protocol}`;
  const off =
    state.status === 'disabled'
      ? [`  Server "${escapeLine(name)}" is disabled. ${escapeLine(enableFirst(name))}`]
      : [];
  return [
    `${escapeLine(name)}  ${paint(state.status)}${counts}${protocolText}${ms > 0 ? `  ${Math.round(ms)} ms` : ''}`,
    ...('error' in state
      ? escapeBlock(state.error)
          .split('\n')
          .map((line) => `  ${line}`)
      : []),
    ...off,
    ...remedyLines(name, report),
  ];
}

function remedyLines(name: string, report: ServerReport): readonly string[] {
  const { status: state } = report;
  const remedy = state.status === 'disabled' ? undefined : remedyFor(name, report);
  if (remedy === undefined || ('error' in state && state.error.includes(remedy))) return [];
  return [`  ${escapeLine(remedy)}`];
}

export function reportJson(name: string, report: ServerReport): object {
  const { status: state, era, protocol, serverInfo, lists, startIn, ms, phases } = report;
  const remedy = remedyFor(name, report);
  return {
    ...state,
    ...(remedy === undefined ? {} : { remedy }),
    ...(era === undefined ? {} : { era, protocol, serverInfo }),
    ...(lists === undefined
      ? {}
      : { tools: lists.tools.length, resources: lists.resources.length, prompts: lists.prompts.length }),
    ...(startIn === undefined ? {} : { startIn }),
    ms: Math.round(ms),
    phases: Object.fromEntries(Object.entries(phases).map(([phase, took]) => [phase, Math.round(took)])),
  };
}
