/** What a connection needs from transports: a way to open one, and a way to explain its failures. */

import type { Phase } from '../kernel/phases.ts';
import type { Transport } from '../kernel/servers.ts';
import type { LaunchPlan } from '../secrets/launch-plan.ts';
import { classifyFailure } from '../transports/classify-failure.ts';
import type { ServerTransport } from '../transports/server-transport.ts';
import type { Channel } from './channel.ts';

export type Failure = ReturnType<typeof classifyFailure>;

export interface OpenedTransport extends ServerTransport {
  /** Settles when a program writes its first byte, to stdout or stderr. */
  readonly firstByte?: Promise<void>;
}

/**
 * Creates a transport without starting it. `kind` may differ from the plan's, for example SSE instead of
 * Streamable HTTP.
 */
export type OpenTransport = (plan: LaunchPlan, kind: Transport) => Promise<OpenedTransport>;

export type Explain = (error: unknown) => Failure;

export interface ExplainParts {
  readonly server: string;
  readonly phase: () => Phase;
  /** The current channel, if there is one. */
  readonly channel: () => Channel | undefined;
  readonly wallNow: () => number;
}

const tailLines = 20;

export function createExplain({ server, phase, channel, wallNow }: ExplainParts): Explain {
  return (error) => {
    const transport = channel()?.transport;
    return classifyFailure(error, {
      server,
      phase: phase(),
      end: transport?.end,
      ownHeader: transport?.ownHeader,
      forbidsLogin: transport?.forbidsLogin,
      stderrTail: transport === undefined ? undefined : stderrOf(transport),
      wallNow: wallNow(),
    });
  };
}

/** The last lines that a program wrote to stderr. */
export function stderrOf(transport: ServerTransport): string {
  return transport.stderrTail(tailLines).trimEnd();
}

/** Failures that mean: the server is reachable but rejected the request. */
const refusals: ReadonlySet<Failure['kind']> = new Set([
  'server-error',
  'http-status',
  'not-found',
  'not-mcp',
  'protocol-violation',
  'unsupported-version',
  'unknown',
]);

export function isRefusal({ kind }: Failure): boolean {
  return refusals.has(kind);
}
