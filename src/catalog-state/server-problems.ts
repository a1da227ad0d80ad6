/**
 * Problems in what servers offer: changed instructions, duplicate or misleading names, lists that are too
 * long.
 */

import type { RefusedTool, WithheldTool } from '../catalog/tool-info.ts';
import type { Connection } from '../connection/connection.ts';
import type { Problem, ProblemCode } from '../kernel/problems.ts';
import { nameWord } from '../kernel/shell-words.ts';
import type { EventBus } from '../kernel/events.ts';

interface FoundChanges {
  readonly withheld: readonly WithheldTool[];
  readonly refused: readonly RefusedTool[];
  /** Diff lines. Empty while the instructions are the accepted ones. */
  readonly instructionsChanged: readonly string[];
}

export interface ServerProblemsParts {
  readonly bus: Pick<EventBus, 'on'>;
  readonly connections: () => Iterable<Connection>;
  /** What the last review of the server's tools found. */
  readonly current: (connection: Connection) => FoundChanges | undefined;
}

export function createServerProblems(parts: ServerProblemsParts): () => readonly Problem[] {
  const offers = followOffers(parts.bus);
  return () =>
    [...parts.connections()].flatMap((connection) => {
      const { ref } = connection.entry;
      const {
        withheld = [],
        refused = [],
        instructionsChanged: changes = [],
      } = parts.current(connection) ?? {};
      return [
        ...offers(ref).map(({ code, message }) => problemOf(connection, code, message)),
        ...refused
          .slice(0, mostPerServer)
          .map((tool) => problemOf(connection, 'schema-too-deep', refusalText(tool))),
        ...withheldTexts(ref, withheld).map(({ message, remedy }) => ({
          ...problemOf(connection, 'tool-withheld', message),
          remedy,
        })),
        ...(changes.length === 0
          ? []
          : [problemOf(connection, 'instructions-changed', instructionsText(ref, changes))]),
      ];
    });
}

export function instructionsText(server: string, changes: readonly string[]): string {
  return `the instructions of "${server}" are not what was accepted: ${changes.join('; ')}`;
}

export function refusalText({ server, tool, reason }: RefusedTool): string {
  return `the tool "${tool.slice(0, 100)}" of "${server}" is left out: ${reason}`;
}

interface WithheldText {
  readonly message: string;
  readonly remedy: string;
}

/** Messages and remedies for people. If pins cannot be read, one message covers all tools of the server. */
export function withheldTexts(server: string, withheld: readonly WithheldTool[]): readonly WithheldText[] {
  const unchecked = withheld.find((tool) => tool.unchecked !== undefined);
  if (unchecked !== undefined) {
    const message = `the tools of "${server}" are withheld, because what was accepted cannot be read: ${unchecked.unchecked}`;
    return [{ message, remedy: 'Fix what is named there, or move it away; holt doctor says more.' }];
  }
  return withheld.slice(0, mostPerServer).map(({ tool, changes }) => ({
    message: `the tool "${tool.slice(0, 100)}" of "${server}" is withheld, because it is not what was accepted: ${changes.join('; ')}`,
    remedy: `Look at it with ${pinCommand('diff', server, tool)}, and accept it with ${pinCommand('accept', server, tool)}.`,
  }));
}

/** The toast for tools that were just withheld. Undefined if none has changed. */
export function withheldToast(server: string, withheld: readonly WithheldTool[]): string | undefined {
  const changed = withheld.filter(({ unchecked }) => unchecked === undefined);
  const [first] = changed;
  if (first === undefined) return undefined;
  if (changed.length > 1)
    return `${changed.length} tools of ${server} were changed and are withheld: holt pin diff ${nameWord(server)}`;
  return `${server}.${first.tool} was changed and is withheld: ${pinCommand('diff', server, first.tool)}`;
}

function pinCommand(verb: 'diff' | 'accept', server: string, tool: string): string {
  return `holt pin ${verb} ${nameWord(`${server}.${tool}`)}`;
}

export const deepSchemaRemedy = 'Report it to the maintainer of the server: the schema has to be flatter.';

interface OfferProblem {
  readonly code: 'offer-duplicate' | 'offer-refused' | 'list-cut';
  readonly message: string;
}

const offerCodes: ReadonlyMap<string, OfferProblem['code']> = new Map([
  ['entry-duplicate', 'offer-duplicate'],
  ['name-blank', 'offer-refused'],
  ['list-cut', 'list-cut'],
]);

/** Limits the messages, because the server chooses how many bad entries it lists. */
const mostPerServer = 20;

/** Collects warnings about lists by server, since its last start. */
function followOffers(bus: ServerProblemsParts['bus']): (server: string) => readonly OfferProblem[] {
  const warnings = new Map<string, Map<string, OfferProblem>>();
  // Do not listen to phases: every call passes through two of them, and a listener makes them cost time.
  bus.on('mcp.status.changed', ({ server, status }) => {
    if (status.status === 'connecting') warnings.delete(server);
  });
  bus.on('mcp.warning', ({ server, code: warning, message }) => {
    const code = offerCodes.get(warning);
    const known = warnings.get(server) ?? new Map<string, OfferProblem>();
    if (code === undefined) return;
    // Keep one warning per list, from its last read. Bad entries of the server must not crowd it out.
    const key = code === 'list-cut' ? message.slice(0, message.indexOf(': ')) : message;
    if (code === 'list-cut' || known.size < mostPerServer)
      warnings.set(server, known.set(key, { code, message }));
  });
  return (server) => [...(warnings.get(server)?.values() ?? [])];
}

const remedies = {
  'offer-duplicate': () => 'A call reaches the first one. Its maker has to give them two names.',
  'offer-refused': () => 'Its maker has to give it a name without blanks at the ends.',
  'list-cut': () =>
    'Its maker has to list less. limits.listBytes and limits.catalogBytes say how much is read.',
  'schema-too-deep': () => deepSchemaRemedy,
  'tool-withheld': (ref: string) => `holt pin diff ${nameWord(ref)} shows what changed.`,
  'instructions-changed': (ref: string) =>
    `Accept them with holt pin accept ${nameWord(ref)}, once you have read them.`,
} as const satisfies Partial<Record<ProblemCode, (ref: string) => string>>;

function problemOf({ entry }: Connection, code: keyof typeof remedies, message: string): Problem {
  const { file, line, column } = entry.definition.origin;
  const remedy = remedies[code](entry.ref);
  return { severity: 'warning', code, file, line, column, server: entry.ref, message, remedy };
}
