/**
 * What an approval is bound to: everything that would run, in one canonical form, before any value is filled in.
 * Rotating a token behind a placeholder changes nothing here; changing a word, a URL or a script does.
 */

import { createHash } from 'node:crypto';

import type { Machine } from '../kernel/machine.ts';
import type { Launch, ServerDefinition } from '../kernel/servers.ts';
import { maskDefinition } from '../masking/mask-secrets.ts';
import type { Files } from '../platform/files.ts';
import { namedFiles } from './named-files.ts';

export interface FingerprintField {
  readonly path: string;
  /** A hash of the value, so that literal secrets are not kept a second time. */
  readonly hash: string;
  /** The value as it may be shown. */
  readonly shown: string;
}

export interface Fingerprint {
  readonly digest: `sha256:${string}`;
  readonly fields: readonly FingerprintField[];
}

export function fingerprint(definition: ServerDefinition, machine: Machine, files: Files): Fingerprint {
  const values = [...fieldsOf(definition, machine), ...scriptFields(definition, machine, files)];
  const shown = new Map([...fieldsOf(maskDefinition(definition), machine)]);
  const fields = values.map(([path, value]) => ({ path, hash: sha256(value).slice(0, 32), shown: shown.get(path) ?? value }));
  return { digest: `sha256:${sha256(JSON.stringify(values))}`, fields };
}

type Field = readonly [path: string, value: string];

function fieldsOf(definition: ServerDefinition, machine: Machine): readonly Field[] {
  const { name, origin, parts, dialect, launch, inputs, auth } = definition;
  const files = [...new Set(parts.map(({ file }) => file))].toSorted();
  return [
    ['project', machine.projectRoot],
    ...files.map((file, index): Field => [index === 0 ? 'file' : `file ${index + 1}`, file]),
    ['agent', origin.agent],
    ['dialect', dialect],
    ['name', name],
    ['transport', launch.kind],
    ...launchFields(launch),
    ...(auth === undefined ? [] : [['auth', auth.credentialId] as const]),
    ...(inputs ?? []).map((input): Field => [`input ${input.id}`, JSON.stringify(input)]),
  ];
}

function launchFields(launch: Launch): readonly Field[] {
  if (launch.kind === 'stdio') {
    const { command, args, env, envFrom, cwd, inheritEnv } = launch;
    return [
      ['command', command],
      ...args.map((argument, index): Field => [`args[${index}]`, argument]),
      ...mapFields('env', env),
      ...mapFields('envFrom', envFrom),
      ...(cwd === undefined ? [] : [['cwd', cwd] as const]),
      ...(inheritEnv === undefined ? [] : [['inheritEnv', JSON.stringify(inheritEnv)] as const]),
    ];
  }
  const { url, headers, headersFrom, headersHelper, oauth, tls } = launch;
  return [
    ['url', url],
    ...mapFields('headers', headers),
    ...mapFields('headersFrom', headersFrom),
    ...(headersHelper === undefined ? [] : [['headersHelper', headersHelper] as const]),
    ...(oauth === undefined || oauth === false ? [['oauth', String(oauth)] as const] : mapFields('oauth', oauth)),
    ...mapFields('tls', tls ?? {}),
  ];
}

function mapFields(label: string, map: Readonly<object>): readonly Field[] {
  return Object.entries(map)
    .map(([key, value]: [string, unknown]): Field => [`${label}.${key}`, typeof value === 'string' ? value : JSON.stringify(value)])
    .toSorted(([left], [right]) => (left < right ? -1 : 1));
}

function scriptFields(definition: ServerDefinition, machine: Machine, files: Files): readonly Field[] {
  return namedFiles(definition, machine, files).map(({ path, hash }) => [`content of ${path}`, hash]);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export interface FieldChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** What differs between an approved fingerprint and the one of now, field by field. */
export function diffFields(before: readonly FingerprintField[], after: readonly FingerprintField[]): readonly FieldChange[] {
  const old = new Map(before.map((field) => [field.path, field]));
  const now = new Map(after.map((field) => [field.path, field]));
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((path) => {
    const left = old.get(path);
    const right = now.get(path);
    return left?.hash === right?.hash ? [] : [{ path, before: left?.shown, after: right?.shown }];
  });
}
