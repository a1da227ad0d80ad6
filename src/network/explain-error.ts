/** Maps errors from Node and undici to named network problems. Pure: it knows error codes and does no I/O. */

import { errorCode } from '../kernel/errors.ts';
import {
  findNetworkFailure,
  NetworkFailure,
  type NamedProxy,
  type NetworkProblem,
} from './network-failure.ts';

export interface Peer {
  /** Host and port, as people write them. */
  readonly host: string;
  readonly timeoutMs: number;
}

type DialingKind = Exclude<
  Extract<NetworkProblem, { host: string }>['kind'],
  'dns' | 'lost' | 'tls-failed' | 'rate-limited' | 'proxy-refused' | 'address-refused'
>;

const byCode: Readonly<Record<string, DialingKind>> = {
  ECONNREFUSED: 'refused',
  CERT_HAS_EXPIRED: 'tls-expired',
  CERT_NOT_YET_VALID: 'tls-not-yet-valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls-wrong-host',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls-self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls-unknown-issuer',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls-unknown-issuer',
  UNABLE_TO_GET_ISSUER_CERT: 'tls-unknown-issuer',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls-unknown-issuer',
  ERR_SSL_WRONG_VERSION_NUMBER: 'tls-not-spoken',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'tls-not-spoken',
  ERR_SSL_HTTP_REQUEST: 'tls-not-spoken',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'tls-client-certificate',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: 'tls-client-certificate',
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: 'tls-client-certificate',
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: 'tls-client-certificate',
  ENETUNREACH: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  ENETDOWN: 'unreachable',
  ETIMEDOUT: 'connect-timeout',
};

const lookupCodes = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EAI_NODATA',
  'EAI_NONAME',
  'ENODATA',
  'ESERVFAIL',
]);

/** Explains why no working connection to `peer` could be made. */
export function explainDialing(error: unknown, peer: Peer): NetworkFailure {
  return findNetworkFailure(error) ?? new NetworkFailure(dialingProblem(error, peer), error);
}

function dialingProblem(error: unknown, { host, timeoutMs }: Peer): NetworkProblem {
  const code = innerCode(error) ?? 'unknown';
  if (lookupCodes.has(code)) return { kind: 'dns', host, code };
  const kind = byCode[code];
  if (kind === 'tls-wrong-host') return { kind, host, names: certificateNames(error) };
  if (kind === 'connect-timeout') return { kind, host, afterMs: timeoutMs };
  if (kind === 'unreachable') return { kind, host, code };
  if (kind !== undefined) return { kind, host };
  if (/^ERR_(?:SSL|TLS|OSSL)|CERT|EPROTO/.test(code)) return { kind: 'tls-failed', host, code };
  return { kind: 'lost', host, code };
}

/** Explains why an established connection broke. */
export function explainBreak(error: unknown, host: string): NetworkFailure {
  const known = findNetworkFailure(error);
  if (known !== undefined) return known;
  const code = innerCode(error) ?? 'closed';
  // With TLS 1.3, a server reports a missing client certificate only after our side completes the handshake.
  if (byCode[code] === 'tls-client-certificate')
    return new NetworkFailure({ kind: 'tls-client-certificate', host }, error);
  return new NetworkFailure(
    { kind: 'lost', host, code: code === 'UND_ERR_SOCKET' ? 'closed by the other side' : code },
    error,
  );
}

/** Attributes a failure to the proxy instead of the server. */
export function blameProxy(failure: NetworkFailure, named: NamedProxy): NetworkFailure {
  if (failure.problem.kind.startsWith('proxy-')) return failure;
  const { proxy, variable } = named;
  return new NetworkFailure({ kind: 'proxy-down', reason: failure.message, proxy, variable }, failure);
}

/** Returns the innermost system code: fetch and the address race wrap the error that explains the failure. */
function innerCode(error: unknown): string | undefined {
  let code: string | undefined;
  let current: unknown = error;
  for (let depth = 0; depth < 8 && current instanceof Error; depth += 1) {
    code = errorCode(current) ?? code;
    current =
      current.cause ?? (current instanceof AggregateError ? (current.errors as unknown[]).at(-1) : undefined);
  }
  return code;
}

function certificateNames(error: unknown): string {
  let current: unknown = error;
  while (current instanceof Error) {
    const certificate: unknown = 'cert' in current ? current.cert : undefined;
    if (typeof certificate === 'object' && certificate !== null) return namesOf(certificate);
    current = current.cause;
  }
  return 'another name';
}

function namesOf(certificate: object): string {
  const alternatives = 'subjectaltname' in certificate ? certificate.subjectaltname : undefined;
  if (typeof alternatives === 'string')
    return alternatives.replaceAll(/(?:DNS|IP Address):/g, '').slice(0, 200);
  const subject: unknown = 'subject' in certificate ? certificate.subject : undefined;
  const name = typeof subject === 'object' && subject !== null && 'CN' in subject ? subject.CN : undefined;
  return typeof name === 'string' ? name : 'another name';
}
