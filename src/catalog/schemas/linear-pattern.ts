/**
 * Matches a regular expression in time linear in the text, whoever wrote it: all ways through the pattern are followed at
 * once, so there is nothing to go back to. V8's own matcher takes exponential time for patterns like `(a+)+$`.
 */

import { isWordCharacter, type CharacterTest } from './pattern-characters.ts';
import { parsePattern, type Edge, type PatternNode } from './pattern-syntax.ts';

type Step =
  | { readonly kind: 'character'; readonly test: CharacterTest }
  | { readonly kind: 'fork'; readonly to: number[] }
  | { readonly kind: 'edge'; readonly edge: Edge }
  | { readonly kind: 'done' };

/** Work that may still be done. One is a step of the pattern looked at. */
export interface Allowance {
  left: number;
}

/** Undefined: too much work, so nobody knows. */
export type PatternMatch = (text: string, allowance: Allowance) => boolean | undefined;

const maxProgram = 2000;

/** Undefined when the pattern is not one that can be matched this way. */
export function linearPattern(pattern: string): PatternMatch | undefined {
  if (pattern.length > 10_000) return undefined;
  const tree = parsePattern(pattern);
  const program: Step[] = [];
  if (tree === undefined || !emit(tree, program)) return undefined;
  program.push({ kind: 'done' });
  return (text, allowance) => run(program, text, allowance);
}

/** Appends the steps for a node; false when the program would get too long. */
function emit(node: PatternNode, program: Step[]): boolean {
  if (program.length > maxProgram) return false;
  switch (node.kind) {
    case 'character':
    case 'edge':
      program.push(node);
      return true;
    case 'sequence':
      return node.parts.every((part) => emit(part, program));
    case 'choice':
      return emitChoice(node.options, program);
    case 'repeat':
      return emitRepeat(node, program);
  }
}

function emitChoice(options: readonly PatternNode[], program: Step[]): boolean {
  const starts: number[] = [];
  const end: number[] = [];
  program.push({ kind: 'fork', to: starts });
  for (const option of options) {
    starts.push(program.length);
    if (!emit(option, program)) return false;
    program.push({ kind: 'fork', to: end });
  }
  end.push(program.length);
  return true;
}

function emitRepeat(node: PatternNode & { readonly kind: 'repeat' }, program: Step[]): boolean {
  for (let count = 0; count < node.min; count += 1) {
    if (!emit(node.part, program)) return false;
  }
  const end: number[] = [];
  if (node.max === Infinity) {
    const start = program.length;
    program.push({ kind: 'fork', to: end });
    end.push(start + 1);
    if (!emit(node.part, program)) return false;
    program.push({ kind: 'fork', to: [start] });
    end.push(program.length);
    return true;
  }
  const exits: number[][] = [];
  for (let count = node.min; count < node.max; count += 1) {
    const to = [program.length + 1];
    exits.push(to);
    program.push({ kind: 'fork', to });
    if (!emit(node.part, program)) return false;
  }
  for (const to of exits) to.push(program.length);
  return true;
}

function run(program: readonly Step[], text: string, allowance: Allowance): boolean | undefined {
  if (text.length > allowance.left) return undefined;
  const place: Place = {
    points: Array.from(text, (character) => character.codePointAt(0) ?? 0),
    at: 0,
    visits: 0,
    seenAt: new Int32Array(program.length).fill(-1),
  };
  let here: number[] = [];
  for (; place.at <= place.points.length; place.at += 1) {
    const ready: number[] = [];
    here.push(0);
    if (reach(program, here, place, ready)) return true;
    allowance.left -= place.visits;
    place.visits = 0;
    if (allowance.left < 0) return undefined;
    here = advance(program, ready, place.points[place.at]);
  }
  return false;
}

interface Place {
  readonly points: readonly number[];
  at: number;
  visits: number;
  /** Where each step was last come to: once for each character is enough. */
  readonly seenAt: Int32Array;
}

/** Fills `ready` with the steps that wait for a character on every way on from here; true when one is at its end. */
function reach(program: readonly Step[], from: number[], place: Place, ready: number[]): boolean {
  const waiting = from;
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    if (place.seenAt[index] === place.at) continue;
    place.seenAt[index] = place.at;
    place.visits += 1;
    const step = program[index];
    if (step?.kind === 'done') return true;
    if (step?.kind === 'character') ready.push(index);
    else if (step?.kind === 'fork') waiting.push(...step.to);
    else if (step?.kind === 'edge' && holds(step.edge, place)) waiting.push(index + 1);
  }
  return false;
}

function advance(program: readonly Step[], ready: readonly number[], point: number | undefined): number[] {
  const next: number[] = [];
  if (point === undefined) return next;
  for (const index of ready) {
    const step = program[index];
    if (step?.kind === 'character' && step.test(point)) next.push(index + 1);
  }
  return next;
}

function holds(edge: Edge, { points, at }: Place): boolean {
  if (edge === 'start') return at === 0;
  if (edge === 'end') return at === points.length;
  const before = at > 0 && isWordCharacter(points[at - 1] ?? 0);
  const after = at < points.length && isWordCharacter(points[at] ?? 0);
  return (before !== after) === (edge === 'word');
}
