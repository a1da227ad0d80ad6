/**
 * Computes what an approval is bound to: everything that would run, in one canonical form, before
 * placeholders are resolved. Rotating a token behind a placeholder does not change it; changing a word, a URL
 * or a script does.
 */

import { sha256 } from '../kernel/hash.ts';
import { inputsIn } from '../dialects/mentions.ts';
import { isInside, type Machine } from '../kernel/machine.ts';
import type { Launch, ServerDefinition } from '../kernel/servers.ts';
import { maskArgs, maskDefinition } from '../masking/mask-secrets.ts';
import type { Files } from '../platform/files/files.ts';
import { realPathNow } from '../platform/files/real-path.ts';
import { findProjectCode, type ProjectFile } from './project-code.ts';

export interface FingerprintField {
  readonly path: string;
  /** A hash of the value, so that literal secrets are not stored a second time. */
  readonly hash: string;
  /** The value in a form that is safe to show. */
  readonly shown: string;
  /** The file that the value comes from. Missing in approvals of older versions. */
  readonly file?: string;
}

export interface Fingerprint {
  readonly digest: `sha256:${string}`;
  readonly fields: readonly FingerprintField[];
  /** Named files whose content cannot be determined. No approval can cover them. */
  readonly uncertain?: readonly string[];
  /** Descriptions of project code that would run but that the digest does not cover. */
  readonly notCovered?: readonly string[];
}

/**
 * Change this string when the form of the fields changes; otherwise old approvals cover content nobody
 * reviewed.
 */
const form = 'holt approval 1';

/** Resolves symbolic links; returns the path unchanged when there are none. */
type RealPath = (place: string) => string;

export function fingerprint(
  definition: ServerDefinition,
  machine: Machine,
  files: Files,
  realPath: RealPath = realPathNow,
): Fingerprint {
  const { files: named, gaps } = findProjectCode(definition, machine, files, realPath);
  const scripts = named.map((one): Field => [labelOf(one), one.hash]);
  const values = [...sourceFields(definition, machine, realPath), ...fieldsOf(definition), ...scripts];
  const uncertain = named.filter(({ hash }) => hash === 'unknown').map(({ path }) => path);
  return {
    digest: `sha256:${sha256(JSON.stringify([form, values]))}`,
    // Computed on demand: only questions and decisions need the fields, and a list needs only the digest.
    get fields() {
      return describeFields(definition, values, named, machine);
    },
    ...(uncertain.length === 0 ? {} : { uncertain }),
    ...(gaps.length === 0 ? {} : { notCovered: gaps }),
  };
}

function labelOf({ path, part }: ProjectFile): string {
  return part === undefined ? `content of ${path}` : `${part.name} of ${path}`;
}

function describeFields(
  definition: ServerDefinition,
  values: readonly Field[],
  named: readonly ProjectFile[],
  machine: Machine,
): readonly FingerprintField[] {
  const { file } = definition.origin;
  const source = isInside(file, machine.projectRoot, machine)
    ? machine.path.relative(machine.projectRoot, file)
    : file;
  const shown = new Map(fieldsOf(maskDefinition(definition)));
  const files = new Map(named.map((one) => [labelOf(one), one]));
  return values.map(([path, value]) => {
    const of = files.get(path);
    // Mask a script as a command line.
    const text = of?.part === undefined ? shown.get(path) : maskArgs([of.part.text])[0];
    return {
      path,
      hash: sha256(value).slice(0, 32),
      shown: text ?? value,
      file: of?.path ?? source,
    };
  });
}

type Field = readonly [path: string, value: string];

/** The project, the files that define the entry, and the targets of links at those paths. */
function sourceFields(
  { parts, origin, dialect, name }: ServerDefinition,
  machine: Machine,
  realPath: RealPath,
): readonly Field[] {
  const sources = [...new Set(parts.map(({ file }) => file))].toSorted();
  return [
    ['project', machine.projectRoot],
    ...sources.flatMap((file, index): readonly Field[] => {
      const label = index === 0 ? 'file' : `file ${index + 1}`;
      const target = linkTarget(file, machine, realPath);
      return [[label, file], ...(target === undefined ? [] : [[`${label} leads to`, target] as const])];
    }),
    ['agent', origin.agent],
    ['dialect', dialect],
    ['name', name],
  ];
}

/** Returns the target when a project's config file is a link. Undefined for files outside the project. */
export function linkTarget(
  file: string,
  machine: Machine,
  realPath: RealPath = realPathNow,
): string | undefined {
  if (!isInside(file, machine.projectRoot, machine)) return undefined;
  const target = realPath(file);
  return target === file ? undefined : target;
}

function fieldsOf(definition: ServerDefinition): readonly Field[] {
  const { launch, inputs, auth, tools } = definition;
  const asked = new Set(inputsIn(definition).map(({ id }) => id));
  return [
    ['transport', launch.kind],
    ...launchFields(launch),
    ...(auth === undefined ? [] : [['auth', auth.credentialId] as const]),
    // Which calls run without asking is part of the approval; which tools are shown is not.
    ...(tools?.autoApprove === undefined
      ? []
      : [['tools.autoApprove', JSON.stringify(tools.autoApprove)] as const]),
    ...(inputs ?? [])
      .filter(({ id }) => asked.has(id))
      .map((input): Field => [`input ${input.id}`, JSON.stringify(input)]),
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
    ...(oauth === undefined ? [] : oauth === false ? [['oauth', 'off'] as const] : mapFields('oauth', oauth)),
    ...mapFields('tls', tls ?? {}),
  ];
}

function mapFields(label: string, map: Readonly<object>): readonly Field[] {
  return Object.entries(map)
    .map(([key, value]: [string, unknown]): Field => [
      `${label}.${key}`,
      typeof value === 'string' ? value : JSON.stringify(value),
    ])
    .toSorted(([left], [right]) => (left < right ? -1 : 1));
}

export interface FieldChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Returns the files that the changed fields come from, sorted. Fields without a file are skipped. */
export function changedFiles(
  before: readonly FingerprintField[],
  after: readonly FingerprintField[],
): readonly string[] {
  const paths = new Set(diffFields(before, after).map(({ path }) => path));
  const files = [...before, ...after].flatMap(({ path, file }) =>
    file !== undefined && paths.has(path) ? [file] : [],
  );
  return [...new Set(files)].toSorted();
}

/** Returns the fields that differ between an approved fingerprint and the current one. */
export function diffFields(
  before: readonly FingerprintField[],
  after: readonly FingerprintField[],
): readonly FieldChange[] {
  const old = new Map(before.map((field) => [field.path, field]));
  const now = new Map(after.map((field) => [field.path, field]));
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((path) => {
    const left = old.get(path);
    const right = now.get(path);
    return left?.hash === right?.hash ? [] : [{ path, before: left?.shown, after: right?.shown }];
  });
}
