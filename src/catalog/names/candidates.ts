/**
 * The names a pair may have, best first: the plain one, then the one with eight digits of the pair's hash, then ones with
 * more digits for those who made two pairs with the same eight.
 */

import { createHash } from 'node:crypto';

import { foldName } from '../../masking/fold-name.ts';
import type { NamingProfile } from '../../settings/settings.ts';
import { plainName } from './profiles.ts';

export interface Naming {
  readonly profile: NamingProfile;
  readonly maxLength: number;
}

export interface Candidate {
  /** Undefined when it cannot be used whoever else there is: too long, or empty. */
  readonly name: string | undefined;
  /** Two pairs that have one of these in common would be taken for each other. */
  readonly keys: readonly string[];
}

export const lastLevel = 3;
const digitsAt = [0, 8, 16, 40] as const;

export function candidate({ profile, maxLength }: Naming, pair: Pair, level: number): Candidate {
  const plain = plainName(profile, pair.server, pair.tool);
  if (level === 0) {
    const name = plain === '' || plain.length > maxLength ? undefined : plain;
    const own = plain.toLowerCase();
    const alike = isAscii(pair) ? own : foldedName(profile, pair);
    return { name, keys: alike === own ? [own] : [own, alike] };
  }
  const digits = hashOf(pair, level).slice(0, Math.min(digitsAt[level] ?? 0, maxLength - 1));
  const head = plain.slice(0, maxLength - digits.length - 1);
  // Half a character at the end would be none.
  const name = `${head.replace(/[\ud800-\udbff]$/, '')}_${digits}`;
  return { name, keys: [name.toLowerCase()] };
}

/** What comes before the tool's own name where neither has anything to be changed; undefined where that is not so simple. */
export function simpleHead(profile: NamingProfile, server: string): string | undefined {
  return profile !== 'single' && isSimple(server) ? plainName(profile, server, '') : undefined;
}

/** Made of characters that every profile but `single` keeps, and that look like nothing else but for case. */
export function isSimple(name: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(name);
}

interface Pair {
  readonly server: string;
  readonly tool: string;
}

/** Of plain text nothing is folded but case. */
function isAscii({ server, tool }: Pair): boolean {
  return /^[ -~]*$/.test(tool) && /^[ -~]*$/.test(server);
}

function foldedName(profile: NamingProfile, { server, tool }: Pair): string {
  return plainName(profile, foldName(server), foldName(tool)).toLowerCase();
}

/** Only the first form is promised. With it `a NUL b` + `c` and `a` + `b NUL c` are the same, so the next ones use another. */
function hashOf({ server, tool }: Pair, level: number): string {
  const text = level === 1 ? `${server}\0${tool}` : JSON.stringify([server, tool]);
  return createHash('sha256').update(text).digest('hex');
}
