/**
 * The names a pair may have, best first: the plain one, then the one with eight digits of the pair's hash, then as many
 * more as there are numbers: who calls tools as another's would be called next only sends it one further.
 */

import { createHash } from 'node:crypto';

import { foldName } from '../../masking/fold-name.ts';
import type { NamingProfile } from '../../settings/settings.ts';
import { plainName } from './profiles.ts';

export interface Naming {
  readonly profile: NamingProfile;
  /** The least that the settings allow has room for the digits of any level. */
  readonly maxLength: number;
}

export interface Candidate {
  /** Undefined when it cannot be used whoever else there is: too long, or empty. */
  readonly name: string | undefined;
  /** Two pairs that have one of these in common would be taken for each other. */
  readonly keys: readonly string[];
}

export function candidate({ profile, maxLength }: Naming, pair: Pair, level: number): Candidate {
  const plain = plainName(profile, pair.server, pair.tool);
  if (level === 0) {
    const name = plain === '' || plain.length > maxLength ? undefined : plain;
    const own = plain.toLowerCase();
    const alike = isAscii(pair) ? own : foldedName(profile, pair);
    return { name, keys: alike === own ? [own] : [own, alike] };
  }
  const digits = digitsOf(pair, level);
  const head = plain.slice(0, maxLength - digits.length - 1);
  // Half a character at the end would be none.
  const name = `${head.replace(/[\ud800-\udbff]$/, '')}_${digits}`;
  return { name, keys: [name.toLowerCase()] };
}

/** What comes before the tool's own name where neither has anything to be changed; undefined where that is not so simple. */
export function simpleHead(profile: NamingProfile, server: string): string | undefined {
  return profile !== 'single' && isSimple(server) ? plainName(profile, server, '') : undefined;
}

/** Whether a name begins as those of this server's tools do; nobody can tell where nothing comes before them. */
export function mayBeOf({ profile }: Naming, server: string, name: string): boolean {
  const heads = [server, foldName(server)].map((owner) => plainName(profile, owner, '').toLowerCase());
  return heads.some((head) => head !== '' && name.toLowerCase().startsWith(head));
}

/** Made of characters that every profile but `single` keeps, and that look like nothing else but for case. */
export function isSimple(name: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(name);
}

interface Pair {
  readonly server: string;
  readonly tool: string;
}

/** Of plain text nothing is folded but case: half of the work for nearly all names. */
function isAscii({ server, tool }: Pair): boolean {
  return /^[ -~]*$/.test(tool) && /^[ -~]*$/.test(server);
}

function foldedName(profile: NamingProfile, { server, tool }: Pair): string {
  return plainName(profile, foldName(server), foldName(tool)).toLowerCase();
}

/** Only the first form is promised. With it `a NUL b` + `c` and `a` + `b NUL c` are the same, so the next ones use another. */
function digitsOf({ server, tool }: Pair, level: number): string {
  if (level === 1) return sha256(`${server}\0${tool}`).slice(0, 8);
  return sha256(JSON.stringify([server, tool, level])).slice(0, 15);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
