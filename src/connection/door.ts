/** What a connection needs of the transports: to open one, and to understand how one failed. */

import type { Phase } from '../kernel/phases.ts';
import type { Transport } from '../kernel/servers.ts';
import type { LaunchPlan } from '../secrets/launch-plan.ts';
import { classifyFailure } from '../transports/classify-failure.ts';
import type { ServerTransport } from '../transports/server-transport.ts';
import type { Line } from './line/line.ts';

export type Failure = ReturnType<typeof classifyFailure>;

export interface OpenedTransport extends ServerTransport {
  /** Settles with the first byte a program writes, wherever it writes it. */
  readonly stirred?: Promise<void>;
}

/** Not started yet. A remote server may be spoken to in another way than its plan says. */
export type OpenTransport = (plan: LaunchPlan, kind: Transport) => Promise<OpenedTransport>;

export type Explain = (error: unknown) => Failure;

export interface ExplainParts {
  readonly server: string;
  readonly phase: () => Phase;
  /** The line as it is now, if there is one. */
  readonly line: () => Line | undefined;
  readonly wallNow: () => number;
}

const tailLines = 20;

export function createExplain({ server, phase, line, wallNow }: ExplainParts): Explain {
  return (error) => {
    const transport = line()?.transport;
    return classifyFailure(error, {
      server,
      phase: phase(),
      end: transport?.end,
      ownHeader: transport?.ownHeader,
      forbidsLogin: transport?.forbidsLogin,
      stderrTail: transport === undefined ? undefined : lastWords(transport),
      wallNow: wallNow(),
    });
  };
}

/** What a program said last on stderr. */
export function lastWords(transport: ServerTransport): string {
  return transport.stderrTail(tailLines).trimEnd();
}

/** Kinds in which a server that is there turned down what it was asked. */
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
