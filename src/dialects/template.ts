/** What a text of a config file falls into: plain text and placeholders. Joining the raws gives the text again. */

/** The fields of a definition that may hold placeholders. Dialects differ in which of them they look at. */
export const fieldKinds = ['command', 'args', 'env', 'cwd', 'url', 'headers', 'oauth'] as const;
export type FieldKind = (typeof fieldKinds)[number];

/**
 * What an agent does with a variable that is not set: it sends the placeholder as written,
 * it puts nothing in its place, or it refuses. `fail` also stands for agents that do not say.
 */
export type WhenUnset = 'literal' | 'empty' | 'fail';

/** The text after `:-`. It is literal: a placeholder inside it stays as written. */
export interface Fallback {
  readonly text: string;
  /** True when it also stands in for a variable that is set but empty. */
  readonly whenEmpty: boolean;
}

/** Places and signs that the program knows by itself. */
export type KnownName =
  | 'workspaceFolder'
  | 'workspaceFolderBasename'
  | 'userHome'
  | 'pathSeparator'
  | 'extensionPath'
  | 'workspacePath'
  | 'pluginRoot'
  | 'pluginData'
  | 'projectDir';

export interface TextPart {
  readonly kind: 'text';
  readonly text: string;
}

/** Text that the dialect lets a person write in another way, so that it is not taken for a placeholder. */
export interface EscapedPart {
  readonly kind: 'escaped';
  readonly raw: string;
  readonly text: string;
}

export interface VariablePart {
  readonly kind: 'variable';
  readonly raw: string;
  readonly name: string;
  readonly fallback?: Fallback;
  readonly whenUnset: WhenUnset;
}

/** A whole value that may be the name of a variable. When no such variable has a value, it is just text. */
export interface BarePart {
  readonly kind: 'bare';
  readonly raw: string;
  readonly name: string;
}

export interface InputPart {
  readonly kind: 'input';
  readonly raw: string;
  readonly id: string;
}

export interface FilePart {
  readonly kind: 'file';
  readonly raw: string;
  readonly path: string;
}

export interface CommandPart {
  readonly kind: 'command';
  readonly raw: string;
  readonly line: string;
  /** True when the dialect hands the line to a shell; otherwise it is a program and its arguments. */
  readonly shell: boolean;
}

export interface KnownPart {
  readonly kind: 'known';
  readonly raw: string;
  readonly name: KnownName;
}

/** A placeholder of the dialect that nobody but the agent itself can fill in. */
export interface UnsupportedPart {
  readonly kind: 'unsupported';
  readonly raw: string;
  readonly reason: string;
}

export type TemplatePart =
  | TextPart
  | EscapedPart
  | VariablePart
  | BarePart
  | InputPart
  | FilePart
  | CommandPart
  | KnownPart
  | UnsupportedPart;

/** The part as it stands in the file. */
export function rawOf(part: TemplatePart): string {
  return part.kind === 'text' ? part.text : part.raw;
}
