/**
 * Finds tools by name, title, server, description and parameter names. Query words may be abbreviated or
 * misspelled. Made for many tools: most of the work is done once, when the index is built.
 */

import { isObject } from '../kernel/json.ts';
import { collectPostings, type Field } from './search/postings.ts';
import { createScoreBoard, type SearchHit } from './search/score-board.ts';
import { createSpellings } from './search/spellings.ts';
import { queryWords, wordsIn } from './search/words.ts';

export interface SearchableTool {
  readonly name: string;
  readonly server: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
}

export interface ToolIndex {
  /** Best first. */
  search(
    query: string,
    options?: { readonly limit?: number | undefined; readonly server?: string | undefined },
  ): readonly SearchHit[];
}

const maxWords = 16;
/** The text after this many characters rarely says what the tool is for. */
const maxDescription = 4000;
const defaultLimit = 10;

export function createToolIndex(tools: readonly SearchableTool[]): ToolIndex {
  const servers = tools.map(({ server }) => server);
  const nameLengths = new Uint16Array(tools.length);
  const { words, lists } = collectPostings(documentsOf(tools, nameLengths));
  const meaningsOf = createSpellings(words);
  const board = createScoreBoard(tools.length);
  return {
    search: (query, { limit = defaultLimit, server } = {}) => {
      const asked = queryWords(query, maxWords);
      for (const word of asked) {
        for (const { at, weight } of meaningsOf(word)) {
          const list = lists[at];
          if (list !== undefined) board.mark(list, weight);
        }
        board.nextWord();
      }
      const wanted = (at: number): boolean => server === undefined || servers[at] === server;
      return board.finish({ words: asked.length, nameLengths, wanted, limit });
    },
  };
}

function* documentsOf(
  tools: readonly SearchableTool[],
  nameLengths: Uint16Array,
): Generator<readonly Field[], void, void> {
  for (const [at, tool] of tools.entries()) {
    const name = ownWords(tool);
    nameLengths[at] = name.length;
    yield fieldsOf(tool, name);
  }
}

/** Returns the words of the name without those of the server's name, which its tools have in common. */
function ownWords({ name, server }: SearchableTool): readonly string[] {
  const common = new Set(['mcp', ...wordsIn(server)]);
  const all = wordsIn(name);
  const own = all.filter((word) => !common.has(word));
  return own.length === 0 ? all : own;
}

function fieldsOf(tool: SearchableTool, name: readonly string[]): readonly Field[] {
  const { title = '', description = '', inputSchema, server } = tool;
  return [
    { words: name, weight: 4, isName: true },
    { words: wordsIn(title), weight: 2 },
    { words: wordsIn(server), weight: 1.5 },
    { words: parameterNames(inputSchema).flatMap(wordsIn), weight: 0.7 },
    { words: wordsIn(description.slice(0, maxDescription)), weight: 1 },
  ];
}

const maxDepth = 4;
const maxNames = 200;

export function parameterNames(schema: unknown): readonly string[] {
  const names: string[] = [];
  collect(schema, 0, names);
  return names;
}

function collect(schema: unknown, depth: number, into: string[]): void {
  if (!isObject(schema) || depth > maxDepth) return;
  const { properties, items } = schema;
  collect(items, depth + 1, into);
  if (!isObject(properties)) return;
  for (const [name, inner] of Object.entries(properties)) {
    if (into.length >= maxNames) return;
    into.push(name);
    collect(inner, depth + 1, into);
  }
}
