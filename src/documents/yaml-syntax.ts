/**
 * Parses YAML into the nodes of the `yaml` package:
 * one document, limited depth, aliases linked to their anchors.
 */

import { Composer, Lexer, Parser, isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { Alias, Document as YamlFile, Node, Scalar, YAMLMap, YAMLSeq } from 'yaml';

import { DocumentFault, maxDepth, refuseParts, tooDeep } from './tree.ts';

export interface YamlSyntax {
  readonly contents: Node | null;
  readonly comments: boolean;
  /** The node that each alias refers to: the last anchor of that name before it. */
  readonly targets: ReadonlyMap<Alias, Node>;
}

/** Throws only `DocumentFault`. Source tokens are preserved for editing. */
export function readYaml(text: string, maxParts?: number): YamlSyntax {
  // Tags create no types of their own, and a `%YAML 1.1` line does not bring back its many booleans.
  const composer = new Composer({
    schema: 'core',
    resolveKnownTags: false,
    uniqueKeys: false,
    keepSourceTokens: true,
    logLevel: 'silent',
  });
  const faults: DocumentFault[] = [];
  // The composer's own listener creates an error object for each fault. A damaged file may have thousands of
  // them, which takes several times as long as the parsing.
  const onError = (place: ErrorPlace, _code: string, message: string, isWarning?: boolean): void => {
    if (isWarning !== true && faults.length === 0) faults.push(new DocumentFault(message, offsetOf(place)));
  };
  Object.assign(composer, { onError });
  const files: YamlFile[] = [];
  const comments = feed(text, { composer, files, maxParts });
  for (const file of composer.end(true, text.length)) files.push(file);

  const [file, second] = files;
  for (const { message, pos } of file?.errors ?? []) faults.push(new DocumentFault(message, pos[0]));
  const [fault] = faults.toSorted((left, right) => left.offset - right.offset);
  if (fault !== undefined) throw fault;
  if (second !== undefined)
    throw new DocumentFault('more than one document in the file', second.range?.[0] ?? 0);
  const contents = file?.contents ?? null;
  return { contents, comments, targets: tieAliases(contents) };
}

type ErrorPlace = number | readonly [number, number] | { readonly offset: number };

function offsetOf(place: ErrorPlace): number {
  if (typeof place === 'number') return place;
  return 'offset' in place ? place.offset : place[0];
}

interface Feeding {
  readonly composer: Composer;
  readonly files: YamlFile[];
  readonly maxParts: number | undefined;
}

/**
 * The parser is a stack machine and the composer behind it is recursive. The stack is checked while it grows,
 * so that a text that is nested too deeply never reaches the composer.
 */
function feed(text: string, { composer, files, maxParts }: Feeding): boolean {
  const parser = new Parser();
  let comments = false;
  let parts = 0;
  let documents = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme.startsWith('#')) comments = true;
    parts += 1;
    refuseParts(parts, parser.offset, maxParts);
    for (const token of parser.next(lexeme)) {
      files.push(...composer.next(token));
      if (token.type === 'document') documents += 1;
      // Stop here: the composer would store one more error for every further fault or document.
      if (token.type === 'error' || documents > 1) return comments;
    }
    if (parser.stack.length > maxDepth && openCollections(parser) > maxDepth) throw tooDeep(parser.offset);
  }
  for (const token of parser.end()) files.push(...composer.next(token));
  return comments;
}

function openCollections(parser: Parser): number {
  let count = 0;
  for (const { type } of parser.stack) {
    if (type === 'block-map' || type === 'block-seq' || type === 'flow-collection') count += 1;
  }
  return count;
}

function tieAliases(contents: Node | null): Map<Alias, Node> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  visitNodes(contents, (node) => {
    if (!isAlias(node)) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
      return;
    }
    const target = anchors.get(node.source);
    if (target === undefined) {
      throw new DocumentFault(
        `there is no anchor called ${JSON.stringify(node.source)} above`,
        startOf(node),
      );
    }
    targets.set(node, target);
  });
  return targets;
}

/** Visits every node in the order it is written. */
function visitNodes(node: Node | null, visit: (node: Alias | Scalar | YAMLMap | YAMLSeq) => void): void {
  if (node === null) return;
  visit(node);
  if (isSeq(node)) for (const item of node.items) visitNodes(asNode(item), visit);
  if (!isMap(node)) return;
  for (const { key, value } of node.items) {
    visitNodes(asNode(key), visit);
    visitNodes(asNode(value), visit);
  }
}

/** Narrows values that the package types as unknown. Parsed collections contain only nodes, pairs or null. */
export function asNode(item: unknown): Node | null {
  return isAlias(item) || isScalar(item) || isMap(item) || isSeq(item) ? item : null;
}

export function startOf(node: Node): number {
  return node.range?.[0] ?? 0;
}

/** Returns where the value ends, without the white space and comments after it. */
export function endOf(node: Node): number {
  return node.range?.[1] ?? 0;
}
