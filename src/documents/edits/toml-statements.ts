/**
 * Represents a TOML file as a list of statements, each with the full path that it defines.
 * Editing works on this list.
 */

import type { AST } from 'toml-eslint-parser';

import type { Path } from '../edit.ts';
import { isBlank, isFirstOnLine, lineEndAt, lineStartAt, nextLineAt } from '../text-style.ts';
import { keyName } from '../toml.ts';
import { withCommentsAbove } from './line-cuts.ts';

interface Header {
  readonly kind: 'header';
  readonly path: Path;
  readonly node: AST.TOMLTable;
}

export interface Pair {
  readonly kind: 'pair';
  readonly path: Path;
  readonly node: AST.TOMLKeyValue;
  /** The header that it belongs to; undefined at the top of the file. */
  readonly owner: Header | undefined;
}

export type Statement = Header | Pair;

function statementsOf(program: AST.TOMLProgram): Statement[] {
  const statements: Statement[] = [];
  for (const node of program.body[0].body) {
    if (node.type === 'TOMLKeyValue') {
      statements.push({ kind: 'pair', path: namesOf(node.key), node, owner: undefined });
      continue;
    }
    const owner: Header = { kind: 'header', path: node.resolvedKey, node };
    statements.push(owner);
    for (const pair of node.body) {
      statements.push({ kind: 'pair', path: [...owner.path, ...namesOf(pair.key)], node: pair, owner });
    }
  }
  return statements;
}

export function namesOf(key: AST.TOMLKey): string[] {
  return key.keys.map(keyName);
}

export function isPrefix(prefix: Path, path: Path): boolean {
  return prefix.length <= path.length && prefix.every((key, index) => key === path[index]);
}

/**
 * Knows which lines are comments, so that a line in a string
 * that looks like a comment is not mistaken for one.
 */
export class TomlPage {
  readonly text: string;
  readonly statements: readonly Statement[];
  readonly #commentLines: ReadonlySet<number>;

  constructor(text: string, program: AST.TOMLProgram) {
    this.text = text;
    this.statements = statementsOf(program);
    const starts = program.comments
      .map(({ range }) => range[0])
      .filter((start) => isFirstOnLine(text, start));
    this.#commentLines = new Set(starts.map((start) => lineStartAt(text, start)));
  }

  /**
   * Returns the lines of a statement with the comment lines directly
   * above it and, for a header, everything below it.
   */
  linesOf(statement: Statement): { start: number; end: number } {
    const [from, to] = statement.node.range;
    const start = withCommentsAbove(this.text, lineStartAt(this.text, from), (line) =>
      this.#commentLines.has(line),
    );
    return { start, end: statement.kind === 'header' ? this.#blockEnd(to) : nextLineAt(this.text, to) };
  }

  /**
   * Returns where the block of a header ends or, without a
   * header, where the pairs at the top of the file end.
   */
  ownerEnd(owner: Header | undefined): number {
    if (owner !== undefined) return this.#blockEnd(owner.node.range[1]);
    const last = this.statements.findLast(
      (statement) => statement.kind === 'pair' && statement.owner === undefined,
    );
    return last === undefined ? 0 : this.#blockEnd(last.node.range[1]);
  }

  /** Returns where to insert after everything that belongs to a path, or else after the last statement. */
  endOf(path: Path): number {
    const last =
      this.statements.findLast((statement) => isPrefix(path, statement.path)) ?? this.statements.at(-1);
    if (last === undefined) return nextLineAt(this.text, this.text.trimEnd().length);
    return this.ownerEnd(last.kind === 'header' ? last : last.owner);
  }

  /**
   * Comment lines directly after the block belong to it, unless they are directly above another statement.
   */
  #blockEnd(offset: number): number {
    const { text } = this;
    const end = nextLineAt(text, offset);
    let after = end;
    while (this.#commentLines.has(after)) after = nextLineAt(text, after);
    return after === text.length || isBlank(text.slice(after, lineEndAt(text, after))) ? after : end;
  }
}
