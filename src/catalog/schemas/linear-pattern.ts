/**
 * Matches a regular expression in time linear in the text, even if the pattern is hostile: it follows all
 * paths through the pattern in parallel and never backtracks. V8's own matcher takes exponential time for
 * patterns like `(a+)+$`.
 */

import type { MaybePromise } from '../../kernel/type-tools.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { chain, runSteps, type Steps } from './loops.ts';
import {
  type CharacterTest,
  type Edge,
  isWordCharacter,
  parsePattern,
  type PatternNode,
} from './pattern-syntax.ts';
import { countVisits, type PatternBudget, type Verdict, type Walk, warn } from './walk.ts';

type Step =
  | { readonly kind: 'character'; readonly test: CharacterTest; readonly cost: number }
  | { readonly kind: 'fork'; readonly to: number[] }
  | { readonly kind: 'edge'; readonly edge: Edge }
  | { readonly kind: 'done' };

/** The result is undefined when the match was abandoned because it takes too much work. */
export type PatternMatch = (text: string, budget: PatternBudget) => MaybePromise<boolean | undefined>;

const maxPattern = 10_000;
const maxProgram = 2000;
/** Repeating an empty group a million times emits no steps, but takes as long as if it did. */
const maxEmits = 20_000;
/** Parsing one character of a pattern costs this many visits. */
const visitsForCharacter = 10;

/**
 * Returns undefined for a pattern that cannot be matched this way. Parsing it is charged to the budget.
 */
export function linearPattern(pattern: string, budget?: PatternBudget): PatternMatch | undefined {
  if (budget !== undefined) budget.left -= 1000 + Math.min(pattern.length, maxPattern) * visitsForCharacter;
  if (pattern.length > maxPattern) return undefined;
  const tree = parsePattern(pattern);
  const program: Program = { steps: [], emits: 0 };
  if (tree === undefined || !emit(tree, program)) return undefined;
  const { steps } = program;
  steps.push({ kind: 'done' });
  return (text, remaining) => runSteps(run(steps, text, remaining));
}

interface Program {
  readonly steps: Step[];
  emits: number;
}

/** Appends the steps for a node. Returns false when the program gets too long. */
function emit(node: PatternNode, program: Program): boolean {
  const { steps } = program;
  program.emits += 1;
  if (steps.length > maxProgram || program.emits > maxEmits) return false;
  switch (node.kind) {
    case 'character':
    case 'edge':
      steps.push(node);
      return true;
    case 'sequence':
      return node.parts.every((part) => emit(part, program));
    case 'choice':
      return emitChoice(node.options, program);
    case 'repeat':
      return emitRepeat(node, program);
  }
}

function emitChoice(options: readonly PatternNode[], program: Program): boolean {
  const { steps } = program;
  const starts: number[] = [];
  const end: number[] = [];
  steps.push({ kind: 'fork', to: starts });
  for (const option of options) {
    starts.push(steps.length);
    if (!emit(option, program)) return false;
    steps.push({ kind: 'fork', to: end });
  }
  end.push(steps.length);
  return true;
}

function emitRepeat(node: PatternNode & { readonly kind: 'repeat' }, program: Program): boolean {
  const { steps } = program;
  for (let count = 0; count < node.min; count += 1) {
    if (!emit(node.part, program)) return false;
  }
  const end: number[] = [];
  if (node.max === Infinity) {
    const start = steps.length;
    steps.push({ kind: 'fork', to: end });
    end.push(start + 1);
    if (!emit(node.part, program)) return false;
    steps.push({ kind: 'fork', to: [start] });
    end.push(steps.length);
    return true;
  }
  const exits: number[][] = [];
  for (let count = node.min; count < node.max; count += 1) {
    const to = [steps.length + 1];
    exits.push(to);
    steps.push({ kind: 'fork', to });
    if (!emit(node.part, program)) return false;
  }
  for (const to of exits) to.push(steps.length);
  return true;
}

/** Setting up a match costs one visit for this many steps of the program. */
const stepsInVisit = 32;

function* run(program: readonly Step[], text: string, budget: PatternBudget): Steps<boolean | undefined> {
  if (text.length > budget.left) return undefined;
  const position: Position = {
    text,
    at: 0,
    before: undefined,
    visits: 1 + program.length / stepsInVisit,
    seenAt: new Int32Array(program.length).fill(-1),
  };
  // Reused for every character, to spare the garbage collector.
  const here: number[] = [];
  const ready: number[] = [];
  while (position.at <= text.length) {
    ready.length = 0;
    here.push(0);
    const isMatch = reach(program, here, position, ready);
    const point = text.codePointAt(position.at);
    if (!isMatch && point !== undefined) advance({ program, ready, here }, point, position);
    budget.left -= position.visits;
    const pause = budget.pace?.(position.visits);
    if (pause !== undefined) yield pause;
    position.visits = 0;
    if (isMatch) return true;
    if (budget.left < 0) return undefined;
    position.before = point;
    position.at += (point ?? 0) > 0xff_ff ? 2 : 1;
  }
  return false;
}

interface Position {
  readonly text: string;
  at: number;
  /** The character before `at`. */
  before: number | undefined;
  visits: number;
  /** The position at which each step was last visited: one visit per position is enough. */
  readonly seenAt: Int32Array;
}

/**
 * Fills `ready` with the steps that wait for a character on any path from here. Returns true when a path
 * reaches the end.
 */
function reach(program: readonly Step[], from: number[], position: Position, ready: number[]): boolean {
  const waiting = from;
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    if (position.seenAt[index] === position.at) continue;
    position.seenAt[index] = position.at;
    position.visits += 1;
    const step = program[index];
    if (step?.kind === 'done') return true;
    if (step?.kind === 'character') ready.push(index);
    else if (step?.kind === 'fork') fork(step.to, waiting, position);
    else if (step?.kind === 'edge' && holds(step.edge, position)) waiting.push(index + 1);
  }
  return false;
}

const branchesInVisit = 8;

function fork(branches: readonly number[], waiting: number[], position: Position): void {
  position.visits += branches.length / branchesInVisit;
  for (const branch of branches) waiting.push(branch);
}

interface Frontier {
  readonly program: readonly Step[];
  /** Steps that wait for a character. */
  readonly ready: readonly number[];
  /** Receives the steps that follow a matching character. */
  readonly here: number[];
}

function advance({ program, ready, here }: Frontier, point: number, position: Position): void {
  for (const index of ready) {
    const step = program[index];
    if (step?.kind !== 'character') continue;
    position.visits += step.cost;
    if (step.test(point)) here.push(index + 1);
  }
}

function holds(edge: Edge, { text, at, before }: Position): boolean {
  if (edge === 'start') return at === 0;
  if (edge === 'end') return at === text.length;
  const isBefore = before !== undefined && isWordCharacter(before);
  const isAfter = at < text.length && isWordCharacter(text.codePointAt(at) ?? 0);
  return (isBefore !== isAfter) === (edge === 'word');
}

/** Compiled patterns by the schema object that contains them. */
const patterns = new WeakMap<JsonObject, Map<string, PatternMatch | undefined>>();

/** A pattern that cannot be matched safely matches everything, with a warning. */
export function matchesPattern(pattern: string, text: string, holder: JsonObject, walk: Walk): Verdict {
  if (walk.matching.left <= 0) return warnOfPattern(pattern, walk);
  const known = patterns.get(holder) ?? new Map<string, PatternMatch | undefined>();
  if (!known.has(pattern)) {
    const left = walk.matching.left;
    known.set(pattern, linearPattern(pattern, walk.matching));
    countVisits(walk, left - walk.matching.left);
  }
  patterns.set(holder, known);
  return chain(
    known.get(pattern)?.(text, walk.matching),
    (matched) => matched ?? warnOfPattern(pattern, walk),
  );
}

function warnOfPattern(pattern: string, walk: Walk): true {
  return warn(walk, `the pattern ${JSON.stringify(pattern.slice(0, 60))} was not checked`);
}
