/**
 * Lists what a definition needs from the machine before it can start: variables, commands, files and answers.
 * Only inspects the definition.
 */

import type { Launch, ServerDefinition, VariableReferences } from '../kernel/servers.ts';
import { parseTemplate } from './parse-template.ts';
import type { FieldKind, TemplatePart, WhenUnset } from './template.ts';

/** Where a value is in the launch: `['args', 0]`, `['env', 'TOKEN']`. */
export type FieldPath = readonly (string | number)[];

/** Formats a path for users: `args[0]`, `env.TOKEN`. */
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
  /** The whole value that contains it. May contain a secret beside the placeholder. */
  readonly text: string;
  readonly hasFallback: boolean;
  /** `omit`: the value comes from the variable of this name, and is left out if the variable is unset. */
  readonly whenUnset: WhenUnset | 'omit';
  /** True for a value that is a variable only if one of that name is set; it may be plain text. */
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

/** Returns every string of the definition that may be a template, in the order of its fields. */
export function templateTexts({ launch }: ServerDefinition): TemplateText[] {
  const texts: TemplateText[] = [];
  visitTexts(launch, (text, field, key, index) =>
    texts.push({ field, path: pathOf(field, key, index), text }),
  );
  return texts;
}

/**
 * `key` and `index` locate the string below the field.
 * No path is built here, since most strings have no placeholders.
 */
type Visit = (text: string, field: FieldKind, key?: string | number, index?: number) => void;

function visitTexts(launch: Launch, visit: Visit): void {
  if (launch.kind === 'stdio') {
    visit(launch.command, 'command');
    for (const [index, text] of launch.args.entries()) visit(text, 'args', index);
    visitEntries(launch.env, 'env', visit);
    if (launch.cwd !== undefined) visit(launch.cwd, 'cwd');
    return;
  }
  visit(launch.url, 'url');
  visitEntries(launch.headers, 'headers', visit);
  if (launch.oauth !== undefined && launch.oauth !== false) visitEntries({ ...launch.oauth }, 'oauth', visit);
}

function visitEntries(entries: Readonly<Record<string, unknown>>, field: FieldKind, visit: Visit): void {
  for (const [key, value] of Object.entries(entries)) {
    if (typeof value === 'string') visit(value, field, key);
    if (!Array.isArray(value)) continue;
    for (const [index, text] of value.entries()) if (typeof text === 'string') visit(text, field, key, index);
  }
}

function pathOf(field: FieldKind, key?: string | number, index?: number): FieldPath {
  if (key === undefined) return [field];
  return index === undefined ? [field, key] : [field, key, index];
}

export function variablesIn(definition: ServerDefinition): VariableMention[] {
  const { launch } = definition;
  const references =
    launch.kind === 'stdio'
      ? referenced('env', 'envFrom', launch.envFrom)
      : referenced('headers', 'headersFrom', launch.headersFrom);
  return collect(definition, variableMention).concat(references);
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
    // Without its authorization header no request works, so that one is never left out.
    whenUnset: field === 'headers' && target.toLowerCase() === 'authorization' ? 'fail' : 'omit',
    bare: false,
  }));
}

/** Returns the commands that run before the server does: those in values, and the one that prints headers. */
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
  visitTexts(definition.launch, (text, field, key, index) => {
    for (const part of parseTemplate(text, definition.dialect, field)) {
      if (part.kind === 'text') continue;
      const found = mention(part, { field, path: pathOf(field, key, index) }, text);
      if (found !== undefined) mentions.push(found);
    }
  });
  return mentions;
}

/** Returns the first mention of each name. Omits variables that the agent silently replaces with nothing. */
export function unsetVariables(
  definition: ServerDefinition,
  isSet: (name: string) => boolean,
): readonly VariableMention[] {
  const mentions = variablesIn(definition);
  if (mentions.length === 0) return mentions;
  const missing = new Map<string, VariableMention>();
  for (const mention of mentions) {
    const { name } = mention;
    if (missing.has(name) || isSet(name) || !isWanted(mention, definition)) continue;
    missing.set(name, mention);
  }
  return [...missing.values()];
}

function isWanted(mention: VariableMention, { launch }: ServerDefinition): boolean {
  const { name, raw, field, hasFallback, bare, whenUnset } = mention;
  if (hasFallback || bare || whenUnset === 'empty') return false;
  if (whenUnset !== 'literal') return true;
  // A dollar without braces that is sent as written may be part of a password.
  if (!raw.includes('{')) return false;
  // An argument that is sent as written is expanded by the server's program itself, from its own environment.
  if (field !== 'args' || launch.kind !== 'stdio') return true;
  return !Object.hasOwn(launch.env, name) && !Object.hasOwn(launch.envFrom, name);
}
