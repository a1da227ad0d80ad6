/**
 * The parts of a parsed string: plain text and placeholders.
 * Joining the raw text of all parts gives the string again.
 */

/** The fields of a definition that may contain placeholders. Dialects differ in which of them they read. */
export const fieldKinds = ['command', 'args', 'env', 'cwd', 'url', 'headers', 'oauth'] as const;
export type FieldKind = (typeof fieldKinds)[number];

/**
 * What an agent does with an unset variable: it sends the placeholder as written, replaces it with nothing,
 * or refuses. `fail` also applies to agents whose behaviour is not documented.
 */
export type WhenUnset = 'literal' | 'empty' | 'fail';

/** The text after `:-`. It is literal: a placeholder inside it stays as written. */
export interface Fallback {
  readonly text: string;
  /** True if it also replaces a variable that is set but empty. */
  readonly whenEmpty: boolean;
}

/** Paths and separators that this program knows. */
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

/** Text that the dialect lets a user escape, so that it is not read as a placeholder. */
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

/** A whole value that may be the name of a variable. If no such variable has a value, it is plain text. */
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
  /** True if the dialect passes the line to a shell; otherwise it is a program and its arguments. */
  readonly shell: boolean;
}

export interface KnownPart {
  readonly kind: 'known';
  readonly raw: string;
  readonly name: KnownName;
}

/** A placeholder of the dialect that only the agent itself can fill in. */
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

/** Returns the part as it is written in the file. */
export function rawOf(part: TemplatePart): string {
  return part.kind === 'text' ? part.text : part.raw;
}

/**
 * A scheme, slashes, the user, host and port, and the character that ends them.
 * Skips extra slashes, as URL parsers do.
 */
const fixedOrigin = /^[a-z][a-z0-9+.-]*:[/\\]+[^/\\?#]+[/\\?#]/i;

/**
 * Returns the first placeholder in the scheme, user, host or port of a URL, as written, or `undefined` if
 * there is none. User and password are included, because a `/` or `@` in their value would change the host.
 */
export function checkUrlTemplate(parts: readonly TemplatePart[]): string | undefined {
  let before = '';
  for (const part of parts) {
    if (part.kind !== 'text' && part.kind !== 'escaped') return isPlaceFixed(before) ? undefined : part.raw;
    before += part.text;
  }
  return undefined;
}

function isPlaceFixed(before: string): boolean {
  // URL parsers drop tabs and line breaks anywhere, and control characters and spaces at the start.
  const seen = before.replaceAll(/[\t\n\r]/g, '').replace(/^[^!-\uffff]+/, '');
  return fixedOrigin.test(seen);
}
