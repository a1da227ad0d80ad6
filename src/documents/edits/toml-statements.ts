/** A TOML file as a list of statements, each with the full path it is about: what editing works on. */

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
  /** The header it stands under; undefined at the top. */
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

/** Knows which lines are comments; a line inside a string that looks like one is none. */
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

  /** The lines of a statement, with the comment lines directly above it and, for a header, all that stands under it. */
  linesOf(statement: Statement): { start: number; end: number } {
    const [from, to] = statement.node.range;
    const start = withCommentsAbove(this.text, lineStartAt(this.text, from), (line) =>
      this.#commentLines.has(line),
    );
    return { start, end: statement.kind === 'header' ? this.#blockEnd(to) : nextLineAt(this.text, to) };
  }

  /** Where the block of a header ends, or the pairs at the top of the file. */
  ownerEnd(owner: Header | undefined): number {
    if (owner !== undefined) return this.#blockEnd(owner.node.range[1]);
    const last = this.statements.findLast(
      (statement) => statement.kind === 'pair' && statement.owner === undefined,
    );
    return last === undefined ? 0 : this.#blockEnd(last.node.range[1]);
  }

  /** Where something new goes after all that is about a path, or else at the end of the text. */
  endOf(path: Path): number {
    const last =
      this.statements.findLast((statement) => isPrefix(path, statement.path)) ?? this.statements.at(-1);
    if (last === undefined) return nextLineAt(this.text, this.text.trimEnd().length);
    return this.ownerEnd(last.kind === 'header' ? last : last.owner);
  }

  /** Comment lines that follow directly are part of it, unless they stand directly above something else. */
  #blockEnd(offset: number): number {
    const { text } = this;
    const end = nextLineAt(text, offset);
    let after = end;
    while (this.#commentLines.has(after)) after = nextLineAt(text, after);
    return after === text.length || isBlank(text.slice(after, lineEndAt(text, after))) ? after : end;
  }
}
