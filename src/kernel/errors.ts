/** The error class that holt throws, and the table of all its error codes. */

/**
 * The details of each error code. A new row breaks the build of every exhaustive table until that table has
 * it too.
 */
export interface ErrorDetails {
  'usage-invalid': { readonly given: string; readonly nearest?: string };
  'server-not-found': { readonly server: string; readonly known: readonly string[] };
  'server-ambiguous': { readonly server: string; readonly matches: readonly string[] };
  'agent-unknown': { readonly agent: string; readonly nearest?: string };
  'trust-required': {
    readonly server: string;
    /** `folder`: the server needs a folder that is not trusted. */
    readonly reason: 'untrusted' | 'changed' | 'denied' | 'blocked' | 'folder';
  };
  'secret-unresolved': { readonly server: string; readonly field: string; readonly reason: string };
  'secret-input-needed': { readonly server: string; readonly inputs: readonly string[] };
  'program-missing': { readonly server: string; readonly command: string };
  'config-invalid': { readonly file?: string; readonly errors: readonly string[] };
  'config-unwritable': { readonly file: string; readonly reason: string };
  'config-not-ours': { readonly file: string; readonly server: string; readonly reason: string };
  'server-exists': { readonly server: string; readonly file: string };
  'agent-not-writable': { readonly agent: string; readonly writable: readonly string[] };
  'scope-unavailable': { readonly agent: string; readonly scope: string; readonly scopes: readonly string[] };
  'undo-empty': { readonly folder: string };
  'folder-unsafe': { readonly folder: string; readonly reason: string };
  'lock-busy': { readonly name: string; readonly waitedMs: number };
  'illegal-transition': { readonly server: string; readonly from: string; readonly to: string };
  'connect-failed': { readonly server: string; readonly phase: string; readonly reason: string };
  'connect-timeout': { readonly server: string; readonly phase: string; readonly afterMs: number };
  'spawn-failed': { readonly server: string; readonly program: string; readonly reason: string };
  'server-exited': {
    readonly server: string;
    readonly exitCode: number | null;
    readonly signal: string | null;
  };
  'frame-too-large': { readonly server: string; readonly maxBytes: number };
  /** The message has more structural JSON characters than holt is willing to parse. */
  'frame-too-complex': { readonly server: string; readonly maxNodes: number };
  'queue-full': { readonly server: string; readonly maxBytes: number };
  'connection-lost': { readonly server: string; readonly reason: string };
  'session-lost': { readonly server: string };
  'call-timeout': { readonly server: string; readonly limit: 'idle' | 'total'; readonly afterMs: number };
  'protocol-violation': { readonly server: string; readonly reason: string };
  'auth-required': { readonly server: string };
  'auth-failed': { readonly server: string; readonly reason: string };
  'auth-timeout': { readonly server: string; readonly afterMs: number };
  'auth-unsupported': { readonly server: string; readonly reason: string };
  'client-registration-needed': { readonly server: string; readonly issuer: string };
  'credentials-unavailable': { readonly store: string; readonly reason: string };
  'tool-not-found': { readonly tool: string; readonly nearest?: string };
  'tool-ambiguous': { readonly tool: string; readonly matches: readonly string[] };
  'arguments-invalid': {
    readonly tool: string;
    readonly errors: readonly { readonly path: string; readonly expected: string }[];
  };
  'call-denied': {
    readonly server: string;
    readonly tool: string;
    readonly decision: 'deny' | 'ask';
    readonly rule?: string;
    readonly file?: string;
    readonly line?: number;
  };
  'tool-changed': { readonly server: string; readonly tool: string; readonly changes: readonly string[] };
  'call-aborted': { readonly server: string; readonly tool: string };
  /** A server answered a request other than a tool call with an error. */
  'request-failed': { readonly server: string; readonly rpcCode?: number; readonly reason: string };
  'server-disabled': { readonly server: string };
  'host-closed': { readonly reason: string };
  'internal-error': { readonly reason: string };
  interrupted: { readonly signal: string };
}
export type ErrorCode = keyof ErrorDetails;

export interface HoltErrorOptions {
  readonly remedy?: string;
  readonly cause?: unknown;
}

const brand: unique symbol = Symbol.for('holt.error') as never;

export class HoltError<Code extends ErrorCode = ErrorCode> extends Error {
  readonly [brand] = true;
  readonly code: Code;
  readonly details: ErrorDetails[Code];
  readonly remedy: string | undefined;

  constructor(code: Code, message: string, details: ErrorDetails[Code], options: HoltErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'HoltError';
    this.code = code;
    this.details = details;
    this.remedy = options.remedy;
  }

  /** True for holt's errors, even when two copies of the package are loaded. */
  static is<Code extends ErrorCode>(value: unknown, code?: Code): value is HoltError<Code> {
    if (!(value instanceof Error && brand in value && 'code' in value)) return false;
    return code === undefined || value.code === code;
  }
}

export interface ToolAbortedOptions extends HoltErrorOptions {
  /** Names the cancelled operation when it was not a tool call. */
  readonly what?: string | undefined;
}

/**
 * A tool call, or another request to a server, that its caller cancelled. For other requests, `tool` names
 * their subject.
 */
export class ToolAborted extends HoltError<'call-aborted'> {
  constructor(server: string, tool: string, options: ToolAbortedOptions = {}) {
    const { what = `The call of ${tool}` } = options;
    super('call-aborted', `${what} was cancelled`, { server, tool }, options);
    this.name = 'ToolAborted';
  }
}

export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
