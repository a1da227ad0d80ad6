/**
 * Converts stored logins to text and back. Each login is on its own line, so that the intact lines of a
 * damaged file can still be read.
 */

import { isObject, parseObject, type JsonObject } from '../kernel/json.ts';
import type { CredentialRecord } from '../kernel/credentials.ts';

export type CredentialMap = ReadonlyMap<string, CredentialRecord>;

export function printCredentials(credentials: CredentialMap): string {
  const lines = [...credentials]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([id, record]) => `${JSON.stringify(id)}: ${JSON.stringify(record)}`);
  return `{ "version": 1, "credentials": {\n${lines.join(',\n')}\n} }\n`;
}

export interface CredentialReading {
  readonly credentials: CredentialMap;
  /** True when part of the text could not be read. */
  readonly damaged: boolean;
}

export function readCredentials(text: string): CredentialReading {
  const list = parseObject(text)?.['credentials'];
  if (isObject(list)) {
    const entries = Object.entries(list);
    const good = entries.filter((entry): entry is [string, CredentialRecord] => isCredentialRecord(entry[1]));
    return { credentials: new Map(good), damaged: good.length !== entries.length };
  }
  return { credentials: new Map(text.split(/[\r\n\0]+/).flatMap(salvage)), damaged: true };
}

function salvage(line: string): readonly (readonly [string, CredentialRecord])[] {
  const value = parseObject(`{${line.trim().replace(/,$/, '')}}`);
  return Object.entries(value ?? {}).flatMap(([id, record]) =>
    isCredentialRecord(record) ? [[id, record] as const] : [],
  );
}

/** Checks the types of the fields that are present, and ignores unknown fields of later versions. */
export function isCredentialRecord(value: unknown): value is CredentialRecord {
  if (!isObject(value) || typeof value['serverUrl'] !== 'string') return false;
  return (
    hasTypes(value, { issuer: 'string', resource: 'string', generation: 'number', wantedScope: 'string' }) &&
    isTexts(value['sharedWith']) &&
    isPart(value['tokens'], ['access'], tokenTypes) &&
    isPart(value['client'], ['id'], clientTypes) &&
    (!isObject(value['client']) || isTexts(value['client']['grants'])) &&
    isPart(value['pending'], ['codeVerifier', 'state'], { redirectUri: 'string', scope: 'string' })
  );
}

function isTexts(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.every((item) => typeof item === 'string'));
}

const tokenTypes: Types = {
  refresh: 'string',
  expiresAt: 'number',
  issuedAt: 'number',
  scope: 'string',
  refused: 'string',
};

const clientTypes: Types = {
  secret: 'string',
  issuedAt: 'number',
  secretExpiresAt: 'number',
  authMethod: 'string',
};

type Types = Readonly<Record<string, 'string' | 'number'>>;

function hasTypes(value: JsonObject, types: Types): boolean {
  return Object.entries(types).every(([key, type]) => value[key] === undefined || typeof value[key] === type);
}

function isPart(value: unknown, required: readonly string[], types: Types): boolean {
  if (value === undefined) return true;
  return isObject(value) && required.every((key) => typeof value[key] === 'string') && hasTypes(value, types);
}
