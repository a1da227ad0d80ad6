export function now(): number;
export function openNotes(file: string, by: string): (kind: string, facts?: object) => void;
export interface Random {
  next(): number;
  between(low: number, high: number): number;
  pick<Value>(list: readonly [Value, ...Value[]]): Value;
  pick<Value>(list: readonly Value[]): Value | undefined;
  chance(share: number): boolean;
}
export function createRandom(seed: string | number): Random;
export function canariesIn(text: string, canaries: readonly string[]): readonly string[];
