/** Loads additional CA certificates and client certificates from files. Each set of files is read once. */

import tls from 'node:tls';

import { type Environment, type NetworkOptions, originOptions } from './choose-proxy.ts';
import { NetworkFailure } from './network-failure.ts';

export interface TlsFiles {
  readonly caFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
}

export interface TlsParts {
  /** Throws an error with a readable reason when the file cannot be read. */
  readonly readText: (file: string) => string;
  readonly env: Environment;
}

/**
 * The definition's files take precedence over the origin's, and those over the general ones. A key always
 * comes from the same layer as its certificate.
 */
export function chooseTlsFiles(url: URL, own: TlsFiles | undefined, options: NetworkOptions): TlsFiles {
  const layers: readonly TlsFiles[] = [own ?? {}, originOptions(url, options) ?? {}, options];
  const certified = layers.find(({ certFile }) => certFile !== undefined);
  return {
    caFile: layers.find(({ caFile }) => caFile !== undefined)?.caFile,
    certFile: certified?.certFile,
    keyFile: certified?.keyFile,
  };
}

/** Returns `undefined` if nothing is configured: Node's own store is then shared, which costs nothing. */
export function createTlsContexts(parts: TlsParts): (files: TlsFiles) => tls.SecureContext | undefined {
  const made = new Map<string, tls.SecureContext>();
  return (files) => {
    const extra = parts.env['NODE_EXTRA_CA_CERTS'];
    if (files.certFile === undefined && files.caFile === undefined && (extra === undefined || extra === ''))
      return undefined;
    const key = JSON.stringify([files.caFile, files.certFile, files.keyFile, extra]);
    const context = made.get(key) ?? makeContext(files, extra, parts);
    made.set(key, context);
    return context;
  };
}

function makeContext(files: TlsFiles, extra: string | undefined, parts: TlsParts): tls.SecureContext {
  const authorities = [files.caFile, extra].filter(
    (file) => file !== undefined && file !== '',
  ) as readonly string[]; // filtered
  const ca = authorities.map((file) => readPem(file, 'CERTIFICATE', parts));
  const cert = files.certFile === undefined ? undefined : readPem(files.certFile, 'CERTIFICATE', parts);
  // One file may contain both the certificate and the key.
  const keyFile = files.keyFile ?? files.certFile;
  const key = keyFile === undefined ? undefined : readPem(keyFile, 'PRIVATE KEY', parts);
  try {
    return tls.createSecureContext({
      ...(ca.length === 0 ? {} : { ca: [...knownAuthorities(), ...ca] }),
      ...(cert === undefined || key === undefined ? {} : { cert, key }),
    });
  } catch (error) {
    const file =
      [files.certFile, files.keyFile, files.caFile, extra].find(
        (name) => name !== undefined && name !== '',
      ) ?? '';
    throw new NetworkFailure({ kind: 'tls-file', file, reason: reasonOf(error) }, error);
  }
}

/**
 * Setting any CA replaces the default ones, so they are added explicitly.
 * Newer Node versions include the system's.
 */
function knownAuthorities(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] }; // since Node 22.15
  return getCACertificates?.('default') ?? tls.rootCertificates;
}

function readPem(file: string, what: string, { readText }: TlsParts): string {
  let text: string;
  try {
    text = readText(file);
  } catch (error) {
    throw new NetworkFailure({ kind: 'tls-file', file, reason: reasonOf(error) }, error);
  }
  if (!text.includes(`${what}-----`))
    throw new NetworkFailure({
      kind: 'tls-file',
      file,
      reason: `it holds no ${what.toLowerCase()} in PEM form`,
    });
  return text;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
