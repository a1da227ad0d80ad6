/** Finds where a path of a YAML document is written, and which lines belong to an entry. */

import { isAlias, isCollection, isMap, isSeq, type Node } from 'yaml';

import { EditRefusal, pathText, type Path } from '../edit.ts';
import { indentAt, isBlank, lineEndAt, nextLineAt } from '../text-style.ts';
import { startOf } from '../yaml-syntax.ts';
import type { CommaList } from './comma-list.ts';
import { withCommentsAbove } from './line-cuts.ts';
import { columnOfParts, contentEnd, isFlow, partsOf, type Collection, type Part } from './yaml-parts.ts';

/** A value and the place that it is attached to. */
export interface Spot {
  readonly value: Node | null;
  /** Undefined at the root. */
  readonly attach: number | undefined;
  /** The column of the keys or dashes around it. */
  readonly column: number;
  readonly parent: 'root' | 'map' | 'list';
  readonly inFlow: boolean;
  /** The text between `attach` and a value written there. */
  readonly lead: string;
}

export class YamlPage {
  readonly #text: string;
  readonly #root: Spot;

  constructor(text: string, contents: Node | null) {
    this.#text = text;
    this.#root = { value: contents, attach: undefined, column: 0, parent: 'root', inFlow: false, lead: '' };
  }

  walk(path: Path): { spot: Spot; rest: Path } {
    let spot = this.#root;
    for (const [index, key] of path.entries()) {
      const { value } = spot;
      refuseShared(value, path.slice(0, index));
      const part = isCollection(value)
        ? (partsOf(value).findLast(matches(key)) ?? itemAt(value, key))
        : undefined;
      if (part === undefined || !isCollection(value)) return { spot, rest: path.slice(index) };
      spot = {
        value: part.value,
        attach: part.attach,
        column: columnOfParts(this.#text, value),
        parent: isMap(value) ? 'map' : 'list',
        inFlow: spot.inFlow || isFlow(value),
        lead: part.lead,
      };
    }
    refuseShared(spot.value, path);
    return { spot, rest: [] };
  }

  find(
    path: Path,
    key: string | number,
  ): { node: Collection; parts: Part[]; index: number; spot: Spot; part: Part } {
    const { spot, rest } = this.walk(path);
    const node = spot.value;
    if (rest.length === 0 && isCollection(node)) {
      const parts = partsOf(node);
      const index = typeof key === 'number' && isSeq(node) ? key : parts.findLastIndex(matches(key));
      const part = parts[index];
      if (part !== undefined) return { node, parts, index, spot, part };
    }
    throw new EditRefusal(`${pathText([...path, key])} is not written there itself`);
  }

  /** True for `{}` or `[]` with nothing inside. */
  isBare(value: Node | null): value is Collection {
    if (!isCollection(value) || !isFlow(value) || value.items.length > 0) return false;
    return isBlank(this.#text.slice(startOf(value) + 1, contentEnd(value) - 1));
  }

  commaList(node: Collection): CommaList {
    const start = startOf(node);
    return {
      text: this.#text,
      open: start + 1,
      close: contentEnd(node) - 1,
      elements: partsOf(node),
      comments: 'hash',
    };
  }

  linesOf(part: Part, column: number): { start: number; end: number } {
    const text = this.#text;
    const isComment = (line: number): boolean =>
      text[line + column] === '#' && indentAt(text, line).length === column;
    const start = withCommentsAbove(text, part.start - column, isComment);
    return { start, end: this.after(part.end, column) };
  }

  /**
   * Returns where the lines of a part end.
   * Comments after it that are indented deeper than `column` belong to it.
   */
  after(offset: number, column: number): number {
    const text = this.#text;
    let end = text[offset - 1] === '\n' ? offset : nextLineAt(text, offset);
    for (let line = end; line < text.length; line = nextLineAt(text, line)) {
      const indent = indentAt(text, line).length;
      if (isBlank(text.slice(line, lineEndAt(text, line)))) continue;
      if (text[line + indent] !== '#' || indent <= column) break;
      end = nextLineAt(text, line);
    }
    return end;
  }

  /** Block scalars end with a line break, which must stay when the value is replaced. */
  textEnd(end: number): number {
    let at = end;
    while (this.#text[at - 1] === '\n' || this.#text[at - 1] === '\r') at -= 1;
    return at;
  }
}

function matches(key: string | number): (part: Part) => boolean {
  return (part) => part.key === key;
}

function itemAt(value: Collection, key: string | number): Part | undefined {
  return isSeq(value) && typeof key === 'number' ? partsOf(value)[key] : undefined;
}

function refuseShared(value: Node | null, path: Path): void {
  if (value !== null && (isAlias(value) || value.anchor !== undefined)) throw shared(path);
}

export function shared(path: Path): EditRefusal {
  return new EditRefusal(`${pathText(path)} is shared through an anchor`, { isFinal: true });
}
