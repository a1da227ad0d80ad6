/** What a definition would ask the machine for before it can start: variables, commands, files, answers. Asks for nothing itself. */

import type { Launch, ServerDefinition, VariableReferences } from '../kernel/servers.ts';
import { parseTemplate } from './parse-template.ts';
import type { FieldKind, TemplatePart, WhenUnset } from './template.ts';

/** Where in the launch something stands: `['args', 0]`, `['env', 'TOKEN']`. */
export type FieldPath = readonly (string | number)[];

/** As a person would write it: `args[0]`, `env.TOKEN`. */
export function fieldName(path: FieldPath): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .slice(1);
}

interface Place {
  readonly field: FieldKind;
  readonly path: FieldPath;
}

export interface TemplateText extends Place {
  readonly text: string;
}

export interface VariableMention extends Place {
  readonly name: string;
  /** The placeholder as written, or the bare name. */
  readonly raw: string;
  /** All of the value it stands in. May hold a secret beside the placeholder. */
  readonly text: string;
  readonly hasFallback: boolean;
  /** `omit`: the value is taken from the variable by name, and is left out when there is none. */
  readonly whenUnset: WhenUnset | 'omit';
  /** True for a value that is a variable only if one of that name is set; it may well be plain text. */
  readonly bare: boolean;
}

export interface CommandMention extends Place {
  readonly line: string;
  readonly shell: boolean;
}

export interface FileMention extends Place {
  /** As written: it may be relative to the folder of the definition's file, or begin with `~`. */
  readonly file: string;
}

export interface InputMention extends Place {
  readonly id: string;
}

/** Every text of the definition that is a template, in the order of its fields. */
export function templateTexts({ launch }: ServerDefinition): TemplateText[] {
  return launch.kind === 'stdio' ? stdioTexts(launch) : remoteTexts(launch);
}

type Stdio = Extract<Launch, { kind: 'stdio' }>;
type Remote = Exclude<Launch, Stdio>;

function stdioTexts({ command, args, env, cwd }: Stdio): TemplateText[] {
  const texts: TemplateText[] = [{ field: 'command', path: ['command'], text: command }];
  for (const [index, text] of args.entries()) texts.push({ field: 'args', path: ['args', index], text });
  addEntries(texts, 'env', env);
  if (cwd !== undefined) texts.push({ field: 'cwd', path: ['cwd'], text: cwd });
  return texts;
}

function remoteTexts({ url, headers, oauth }: Remote): TemplateText[] {
  const texts: TemplateText[] = [{ field: 'url', path: ['url'], text: url }];
  addEntries(texts, 'headers', headers);
  if (oauth !== undefined && oauth !== false) addEntries(texts, 'oauth', oauth);
  return texts;
}

function addEntries(texts: TemplateText[], field: FieldKind, entries: object): void {
  for (const [key, value] of Object.entries<unknown>({ ...entries })) {
    if (typeof value === 'string') texts.push({ field, path: [field, key], text: value });
    if (!Array.isArray(value)) continue;
    for (const [index, text] of value.entries())
      if (typeof text === 'string') texts.push({ field, path: [field, key, index], text });
  }
}

export function variablesIn(definition: ServerDefinition): VariableMention[] {
  const { launch } = definition;
  const references =
    launch.kind === 'stdio'
      ? referenced('env', 'envFrom', launch.envFrom)
      : referenced('headers', 'headersFrom', launch.headersFrom);
  return [...collect(definition, variableMention), ...references];
}

function variableMention(part: TemplatePart, place: Place, text: string): VariableMention | undefined {
  if (part.kind === 'bare') {
    const { name, raw } = part;
    return { name, raw, text, ...place, hasFallback: true, whenUnset: 'literal', bare: true };
  }
  if (part.kind !== 'variable') return undefined;
  const { name, raw, whenUnset, fallback } = part;
  return { name, raw, text, ...place, hasFallback: fallback !== undefined, whenUnset, bare: false };
}

function referenced(field: FieldKind, key: string, references: VariableReferences): VariableMention[] {
  return Object.entries(references).map(([target, { variable }]) => ({
    name: variable,
    raw: variable,
    text: variable,
    field,
    path: [key, target],
    hasFallback: false,
    // Without its token nothing would work, so that one is not left out.
    whenUnset: field === 'headers' && target.toLowerCase() === 'authorization' ? 'fail' : 'omit',
    bare: false,
  }));
}

/** Commands that run before the server does: those in values, and the one that prints headers. */
export function commandsIn(definition: ServerDefinition): CommandMention[] {
  const { launch } = definition;
  const helper = launch.kind === 'stdio' ? undefined : launch.headersHelper;
  const commands = collect(definition, (part, place): CommandMention | undefined =>
    part.kind === 'command' ? { line: part.line, shell: part.shell, ...place } : undefined,
  );
  if (helper === undefined) return commands;
  return [...commands, { line: helper, shell: true, field: 'headers', path: ['headersHelper'] }];
}

export function filesIn(definition: ServerDefinition): FileMention[] {
  return collect(definition, (part, place) =>
    part.kind === 'file' ? { file: part.path, ...place } : undefined,
  );
}

export function inputsIn(definition: ServerDefinition): InputMention[] {
  return collect(definition, (part, place) =>
    part.kind === 'input' ? { id: part.id, ...place } : undefined,
  );
}

function collect<Mention>(
  definition: ServerDefinition,
  mention: (part: TemplatePart, place: Place, text: string) => Mention | undefined,
): Mention[] {
  const mentions: Mention[] = [];
  for (const { text, field, path } of templateTexts(definition))
    for (const part of parseTemplate(text, definition.dialect, field)) {
      const found = part.kind === 'text' ? undefined : mention(part, { field, path }, text);
      if (found !== undefined) mentions.push(found);
    }
  return mentions;
}
