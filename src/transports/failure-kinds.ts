/**
 * Every kind of failure of a connection or call, with its remedy, the resulting server status, and whether to
 * retry.
 */

import { errorCode } from '../kernel/errors.ts';

export type FailureStatus = 'failed' | 'needs_auth' | 'needs_client_registration';

/** `at-once`: retry without waiting, with a new session or connection. */
export type Retry = 'never' | 'later' | 'at-once';

interface Meaning {
  readonly status: FailureStatus;
  readonly retry: Retry;
  /** May contain placeholders such as `{server}`, which `failureOf` fills in. */
  readonly remedy?: string;
}

const failed = (retry: Retry, remedy?: string): Meaning => ({
  status: 'failed',
  retry,
  ...(remedy === undefined ? {} : { remedy }),
});

const certificates =
  'If its authority is your own, name its certificate with NODE_EXTRA_CA_CERTS, tls.caFile or network.caFile.';

export const meanings = {
  'needs-auth': { status: 'needs_auth', retry: 'never', remedy: 'Log in with holt auth {server}.' },
  'login-forbidden': { status: 'needs_auth', retry: 'never' },
  'needs-client-registration': {
    status: 'needs_client_registration',
    retry: 'never',
    remedy: 'Register a client with the login server and set oauth.clientId.',
  },
  forbidden: failed('never', 'Check that the account or token may use this server.'),
  'login-failed': { status: 'needs_auth', retry: 'never', remedy: 'Log in again with holt auth {server}.' },
  'rate-limited': failed('later'),
  'http-status': failed('later'),
  'not-found': failed('never', 'Check the URL.'),
  'not-mcp': failed('never', "Check that the URL is the server's MCP endpoint."),
  'session-lost': failed('at-once'),
  'connection-lost': failed('later'),
  'phase-timeout': failed('later', 'Raise phase_timeouts.{phase} if it only needs longer.'),
  'call-timeout': failed('never', 'Raise its timeout if it only needs longer.'),
  cancelled: failed('never'),
  dns: failed('later', 'Check the host name and the network.'),
  refused: failed('later', 'Check that the server runs and the port is right.'),
  unreachable: failed('later', 'Check the network.'),
  'connect-timeout': failed('later', 'Check the network, the address, and whether a proxy is needed.'),
  'tls-expired': failed('never', "The server's operator must renew it; check the clock of this machine too."),
  'tls-not-yet-valid': failed('never', 'Check the clock of this machine.'),
  'tls-wrong-host': failed('never', 'Use a host name that the certificate is for.'),
  'tls-self-signed': failed('never', certificates),
  'tls-unknown-issuer': failed('never', certificates),
  'tls-client-certificate': failed('never', 'Name a client certificate with tls.certFile and tls.keyFile.'),
  'tls-not-spoken': failed('never', 'Check the port, or use http instead of https.'),
  'tls-failed': failed('later'),
  'tls-file': failed('never', 'Correct the path or the file.'),
  'proxy-down': failed('later', 'Check {variable}, or put the host into NO_PROXY.'),
  'proxy-auth': failed('never', 'Put the user name and password into {variable}, or the host into NO_PROXY.'),
  'proxy-refused': failed('later', 'Ask who runs the proxy, or put the host into NO_PROXY.'),
  'proxy-invalid': failed('never', 'Correct {variable}.'),
  'redirect-refused': failed('never', 'If that is the right place, use its address as the URL.'),
  'address-refused': failed('never', 'Check where the server and its login server send holt.'),
  'too-large': failed('later', 'Ask for less at a time, or raise limits.messageBytes.'),
  'too-complex': failed('later', 'Ask for less at a time, or raise limits.messageNodes.'),
  'too-deep': failed('later', 'Ask the server for flatter data.'),
  'not-events': failed('later', 'Check that the URL is the address of an MCP server.'),
  'command-not-found': failed('never'),
  'command-not-runnable': failed(
    'never',
    'Check that the file may be executed and is a program for this machine.',
  ),
  'too-many-files': failed('later', 'Raise the limit of open files (ulimit -n).'),
  'spawn-failed': failed('later'),
  exited: failed('later', 'See holt logs {server}.'),
  'queue-full': failed('never', 'The server does not read its input.'),
  'protocol-violation': failed('never', 'Tell who makes the server.'),
  'unsupported-version': failed('never', 'Update the server, or holt.'),
  'server-error': failed('never'),
  unknown: failed('later'),
} as const satisfies Record<string, Meaning>;

export type FailureKind = keyof typeof meanings;

/** Fields that every failure has. `message` is the end of a sentence for users, without the server's name. */
interface FailureBase {
  readonly message: string;
  readonly remedy?: string;
  readonly status: FailureStatus;
  readonly retry: Retry;
}

interface Extras {
  'rate-limited': { readonly retryAt?: string; readonly retryAfterMs?: number };
  'http-status': { readonly httpStatus: number };
  'not-found': { readonly httpStatus: number };
  forbidden: { readonly httpStatus: number };
  exited: { readonly exitCode: number | null; readonly signal: string | null; readonly stderr: string };
  'command-not-found': { readonly stderr: string };
  'server-error': { readonly rpcCode: number };
}

type ExtrasOf<Kind extends FailureKind> = Kind extends keyof Extras ? Extras[Kind] : unknown;

export type Failure = {
  readonly [Kind in FailureKind]: FailureBase & { readonly kind: Kind } & ExtrasOf<Kind>;
}[FailureKind];

export interface FailureText {
  readonly message: string;
  /** Replaces the kind's default remedy. */
  readonly remedy?: string | undefined;
}

/** Creates a failure of this kind. `words` fill the placeholders of its remedy. */
export function failureOf<Kind extends FailureKind>(
  kind: Kind,
  text: FailureText,
  words: Readonly<Record<string, string>>,
  extras: ExtrasOf<Kind>,
): Failure {
  const meaning: Meaning = meanings[kind];
  const remedy = (text.remedy ?? meaning.remedy)?.replaceAll(
    /\{(\w+)\}/g,
    (all, word: string) => words[word] ?? all,
  );
  const base = {
    kind,
    message: text.message,
    status: meaning.status,
    retry: meaning.retry,
    ...(remedy === undefined ? {} : { remedy }),
  };
  return { ...base, ...(extras as object) } as Failure; // TypeScript cannot relate `extras` to the mapped union
}

export interface ProgramEnd {
  readonly error?: unknown;
  readonly exit?: { readonly exitCode: number | null; readonly signal: string | null };
  readonly stderr: string;
}

/** Returns undefined for errors that are not about starting or running a program. */
export function classifyProgram({ error, exit, stderr }: ProgramEnd, server: string): Failure | undefined {
  if (exit !== undefined) return fromExit(exit, stderr, server);
  const code = errorCode(error);
  const words = { server };
  if (code === 'ENOENT') return notFound(programOf(error), '', server);
  if (code === 'EACCES' || code === 'EPERM' || code === 'ENOEXEC') {
    return failureOf(
      'command-not-runnable',
      { message: `${programOf(error)} cannot be run (${code})` },
      words,
      {},
    );
  }
  if (code === 'ENOTDIR')
    return failureOf(
      'spawn-failed',
      { message: 'the folder it should start in is not there', remedy: 'Correct cwd.' },
      words,
      {},
    );
  if (code === 'EMFILE' || code === 'ENFILE' || code === 'EAGAIN') {
    return failureOf(
      'too-many-files',
      { message: `no more programs can be started now (${code})` },
      words,
      {},
    );
  }
  return undefined;
}

function fromExit(
  { exitCode, signal }: NonNullable<ProgramEnd['exit']>,
  stderr: string,
  server: string,
): Failure {
  const missing = exitCode === 127 || exitCode === 1 ? missingProgram(stderr) : undefined;
  if (missing !== undefined) return notFound(missing, stderr, server);
  const how = signal === null ? `it exited with code ${exitCode ?? 'unknown'}` : `it was ended by ${signal}`;
  const remedy = /\bnpm (?:ERR!|error) (?:code )?E404/.test(stderr)
    ? 'Check the name of the package.'
    : undefined;
  return failureOf('exited', { message: how, remedy }, { server }, { exitCode, signal, stderr });
}

/** Finds the missing program in the differing messages of shells, `env` and package runners. */
function missingProgram(stderr: string): string | undefined {
  const found =
    /^(?:\S*?(?:sh|bash|zsh|dash)): (?:line )?(?:\d+: )?(?:exec: )?([^\s:]+): (?:command )?not found/m.exec(
      stderr,
    ) ??
    /^(?:\S*\/)?env: [\u2018'"]?([^\s\u2019'":]+)[\u2019'"]?: No such file or directory/m.exec(stderr) ??
    /spawn (\S+) ENOENT/.exec(stderr);
  return found?.[1];
}

/** How to install the programs that most servers are started with. */
const sources: Readonly<Record<string, string>> = {
  npx: 'It comes with Node.js.',
  node: 'Install Node.js.',
  uvx: 'It comes with uv: see docs.astral.sh/uv.',
  uv: 'Install uv: see docs.astral.sh/uv.',
  bunx: 'It comes with Bun.',
  bun: 'Install Bun.',
  deno: 'Install Deno.',
  docker: 'Install Docker.',
  pipx: 'Install pipx.',
  python: 'Install Python.',
  python3: 'Install Python.',
};

function notFound(program: string, stderr: string, server: string): Failure {
  const name = program.split(/[\\/]/).at(-1) ?? program;
  const remedy = sources[name] ?? 'Install it, or write its full path.';
  return failureOf(
    'command-not-found',
    { message: `command not found: ${name}`, remedy },
    { server },
    { stderr },
  );
}

function programOf(error: unknown): string {
  return error instanceof Error && 'path' in error && typeof error.path === 'string'
    ? error.path
    : 'the program';
}

/** True when the response to the first POST looks like that of an SSE-only server. */
export function shouldFallBackToSse(failure: Failure): boolean {
  if (failure.kind !== 'http-status' && failure.kind !== 'not-found') return false;
  return [400, 404, 405].includes(failure.httpStatus);
}

/** Returns the message, the remedy and, on further lines, the program's stderr. */
export function failureText(failure: Failure): string {
  const stderr = 'stderr' in failure ? failure.stderr : '';
  const sentence = failure.remedy === undefined ? failure.message : `${failure.message}. ${failure.remedy}`;
  return stderr === '' ? sentence : `${sentence}\n${stderr}`;
}
