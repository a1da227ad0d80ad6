/** The files inside a project that a command line names. What they hold is part of what an approval covers. */

import { createHash } from 'node:crypto';

import { parseTemplate } from '../dialects/parse-template.ts';
import type { FieldKind } from '../dialects/template.ts';
import type { Machine } from '../kernel/machine.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { Files } from '../platform/files.ts';

export interface NamedFile {
  /** Relative to the project's root. */
  readonly path: string;
  /** SHA-256 of the content with links followed, or `missing`. */
  readonly hash: string;
}

const maxBytes = 64 << 20;
/** A script that is not there yet is named all the same: putting one there later must not go unnoticed. */
const scriptLike = /\.(?:[cm]?[jt]sx?|py|rb|pl|php|sh|bash|ps1|bat|cmd|exe|jar|lua|wasm)$/i;

export function namedFiles(definition: ServerDefinition, machine: Machine, files: Files): readonly NamedFile[] {
  const { launch, dialect } = definition;
  if (launch.kind !== 'stdio') return [];
  const folder = machine.path.resolve(machine.projectRoot, plainText(launch.cwd ?? '.', dialect, 'cwd', machine) ?? '.');
  const words = [
    // A bare name is looked up in PATH, never in the project.
    ...(/[\\/]/.test(launch.command) ? [plainText(launch.command, dialect, 'command', machine)] : []),
    ...launch.args.flatMap((argument) => spellings(plainText(argument, dialect, 'args', machine))),
  ];
  const paths = new Set(words.flatMap((word) => (word === undefined || word === '' ? [] : [machine.path.resolve(folder, word)])));
  return [...paths].flatMap((path) => hashNamed(path, machine, files)).toSorted((left, right) => (left.path < right.path ? -1 : 1));
}

/** `--require=./x.js` names a file as much as `./x.js` does. */
function spellings(argument: string | undefined): readonly string[] {
  if (argument === undefined) return [];
  const equals = argument.indexOf('=');
  return equals === -1 ? [argument] : [argument, argument.slice(equals + 1)];
}

function hashNamed(path: string, machine: Machine, files: Files): readonly NamedFile[] {
  const relative = machine.path.relative(machine.projectRoot, path);
  if (relative === '' || relative.startsWith('..') || machine.path.isAbsolute(relative)) return [];
  const outcome = files.load(path, maxBytes);
  switch (outcome.kind) {
    case 'file': {
      const hash = createHash('sha256').update(outcome.realPath).update('\0').update(outcome.bytes).digest('hex');
      return [{ path: relative, hash }];
    }
    case 'too-large':
    case 'unreadable':
      // It cannot be vouched for: an approval of it never matches again.
      return [{ path: relative, hash: `${outcome.kind}-${Math.random()}` }];
    case 'missing':
      return scriptLike.test(path) ? [{ path: relative, hash: 'missing' }] : [];
    case 'not-regular':
      return [];
  }
}

/** The text when it needs no environment; folders the agent knows are filled in, anything else gives nothing. */
function plainText(text: string, dialect: ServerDefinition['dialect'], field: FieldKind, machine: Machine): string | undefined {
  const known: Readonly<Record<string, string>> = {
    workspaceFolder: machine.projectRoot,
    workspacePath: machine.projectRoot,
    projectDir: machine.projectRoot,
    userHome: machine.homeDir,
    pathSeparator: machine.path.sep,
  };
  let plain = '';
  for (const part of parseTemplate(text, dialect, field)) {
    if (part.kind === 'text' || part.kind === 'escaped') plain += part.text;
    else if (part.kind === 'known' && known[part.name] !== undefined) plain += known[part.name];
    else if (part.kind === 'variable' && part.fallback !== undefined) plain += part.fallback.text;
    else return undefined;
  }
  return plain;
}
