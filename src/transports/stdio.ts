/**
 * The stdio transport: a server that holt starts as a program. The program starts only once: the SDK
 * recognises a stdio transport by `pid` and `stderr`, and probes the era on the same process. Closing leaves
 * no process of the program behind.
 */

import type { JSONRPCMessage } from '@modelcontextprotocol/client';

import type { MessageLimits } from '../network/message-meter.ts';
import type { ReceiveAccount } from '../network/receive-budget.ts';
import type { LogFile } from '../platform/files/log-file.ts';
import {
  openServerProcess,
  type ExitFacts,
  type ServerProcess,
  type ServerProcessParts,
  type StopSteps,
} from '../platform/processes/server-process.ts';
import type { LaunchPlan, StdioPlan } from '../secrets/launch-plan.ts';
import { createDeferred } from '../platform/waits.ts';
import type { ServerTransport, TransportEnd } from './server-transport.ts';
import { asError, gone, inputClosed, noisy, outputClosed, programOf, tooLarge } from './stdio/failures.ts';
import { createNoiseLog, type Line, readLine } from './stdio/line-framer.ts';
import { createStderrRing, type StderrRing } from './stdio/stderr-ring.ts';
import {
  createInbox,
  createWriteQueue,
  type Inbox,
  untilQuiet,
  type WriteQueue,
} from './stdio/program-streams.ts';

export interface StdioLimits extends MessageLimits {
  readonly queueBytes: number;
  readonly stderrBytes: number;
}

export interface StdioParts extends Omit<ServerProcessParts, 'signal'> {
  readonly log: Pick<LogFile, 'write' | 'redact'>;
  readonly limits: StdioLimits;
  readonly account: ReceiveAccount;
  readonly stop: StopSteps;
  readonly debug?: (message: string) => void;
}

export const stdioLimits: StdioLimits = {
  messageBytes: 16 << 20,
  messageNodes: 2_000_000,
  queueBytes: 8 << 20,
  stderrBytes: 1 << 20,
};
export const stopSteps: StopSteps = { stdinMs: 500, termMs: 1500 };

export interface StdioTransport extends ServerTransport {
  readonly pid: number | null;
  /** Null, because this transport reads stderr itself. */
  readonly stderr: null;
  /** Resolves with the first output on stdout or stderr, or when the program ends. Never rejects. */
  readonly firstByte: Promise<void>;
  /** Resolves when no process of the program is left, also if it ended by itself. Never rejects. */
  close(): Promise<void>;
  /** Like `close`, but kills the program without a grace period. */
  kill(): Promise<void>;
}

export function createStdioTransport(plan: StdioPlan & LaunchPlan, parts: StdioParts): StdioTransport {
  return new ProgramTransport(plan, parts);
}

/** A server that closes a stream has usually exited. Wait this long for the exit, which explains more. */
const lostStreamMs = 200;

class ProgramTransport implements StdioTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: StdioTransport['onmessage'];
  onwarning?: ((code: string, message: string) => void) | undefined;
  readonly stderr = null;
  readonly opened: Promise<void>;
  readonly firstByte: Promise<void>;

  readonly #plan: StdioPlan;
  readonly #parts: StdioParts;
  readonly #ring: StderrRing;
  readonly #addNoise: (line: string) => void;
  readonly #calledOff = new AbortController();
  readonly #opening = createDeferred<void>();
  readonly #firstByteSeen = createDeferred<void>();
  #starting: Promise<ServerProcess> | undefined;
  #process: ServerProcess | undefined;
  #inbox: Inbox | undefined;
  #queue: WriteQueue | undefined;
  #exit: ExitFacts | undefined;
  #end: TransportEnd | undefined;
  #hasSpoken = false;
  #isLosing = false;
  #isUnheard = false;

  constructor(plan: StdioPlan, parts: StdioParts) {
    const { log, debug, limits } = parts;
    this.#plan = plan;
    this.#parts = parts;
    this.#ring = createStderrRing(limits.stderrBytes);
    const onFirst = (line: string): void => this.onwarning?.('stdout-noise', noisy(plan.server, line));
    this.#addNoise = createNoiseLog({ log, debug, onFirst });
    this.opened = this.#opening.promise;
    this.firstByte = this.#firstByteSeen.promise;
  }

  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  get processId(): number | undefined {
    return this.#process?.pid;
  }

  get end(): TransportEnd | undefined {
    if (this.#end === undefined) return undefined;
    return { ...this.#exit, ...(this.#isUnheard ? { unheard: true } : {}), ...this.#end };
  }

  stderrTail(lines: number): string {
    return this.#parts.log.redact(this.#ring.tail(lines));
  }

  async start(): Promise<void> {
    if (this.#starting !== undefined) throw new Error('a transport starts once');
    if (this.#end !== undefined) throw gone(this.#plan.server, this.#exit);
    const parts = { ...this.#parts, signal: this.#calledOff.signal };
    this.#starting = openServerProcess(programOf(this.#plan, this.#parts.log), parts);
    try {
      this.#attach(await this.#starting);
    } catch (error) {
      const cause = asError(error);
      this.#finish({ reason: cause.message, cause });
      throw error;
    }
    if (this.#end !== undefined) throw gone(this.#plan.server, this.#exit);
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#queue === undefined || this.#end !== undefined)
      return Promise.reject(gone(this.#plan.server, this.#exit));
    return this.#queue.send(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    this.#finish({});
    const process = await this.#starting?.catch(() => undefined);
    await process?.stop(this.#parts.stop);
  }

  async kill(): Promise<void> {
    this.#finish({});
    const process = await this.#starting?.catch(() => undefined);
    await process?.kill();
  }

  #attach(process: ServerProcess): void {
    const { limits, clock, log, account } = this.#parts;
    const { server } = this.#plan;
    this.#process = process;
    const onBroken = (error: Error): void => this.#loseInput(error);
    this.#queue = createWriteQueue(process.stdin, { server, maxBytes: limits.queueBytes, onBroken });
    this.#inbox = createInbox(process.stdout, {
      clock,
      limits,
      source: account.openSource(),
      onLine: (line) => this.#read(line),
      onExcess: (excess) => this.#break(tooLarge(server, excess, limits)),
    });
    process.stdout.once('data', () => this.#firstByteSeen.resolve());
    process.stderr.on('data', (chunk: Buffer) => {
      this.#firstByteSeen.resolve();
      process.noteActivity();
      this.#ring.push(chunk);
      log.write(chunk);
    });
    process.stdin.on('error', onBroken);
    process.stdout.once('end', () => this.#lose(() => outputClosed(server)));
    void process.exited.then((facts) => this.#exited(process, facts));
    if (this.#end !== undefined) this.#inbox.close();
  }

  #read(line: Line): void {
    this.#process?.noteActivity();
    const content = readLine(line.text);
    if (content.kind === 'noise') this.#addNoise(line.text);
    if (content.kind === 'foreign') this.#parts.debug?.('JSON that is not a message was ignored');
    if (content.kind !== 'messages') return;
    this.#hasSpoken = true;
    this.#opening.resolve();
    const receipt = this.#parts.account.receive(line);
    for (const message of content.messages) {
      if (this.#end !== undefined) return;
      try {
        this.onmessage?.(message, { receipt });
      } catch (error) {
        this.onerror?.(asError(error));
      }
    }
  }

  async #exited({ stdout, stderr }: ServerProcess, facts: ExitFacts): Promise<void> {
    this.#exit = facts;
    const isBusy = (): boolean => this.#inbox?.isBusy === true;
    await untilQuiet([stdout, stderr], { clock: this.#parts.clock, isBusy });
    this.#inbox?.finish();
    this.#finish({});
  }

  #loseInput(error: Error): void {
    if (this.#end === undefined && !this.#hasSpoken && this.#queue?.isFresh === true) this.#isUnheard = true;
    this.#lose(() => inputClosed(this.#plan.server, error));
  }

  /**
   * Ends the transport after a stream was lost, unless the program exits soon. Creates the error only if
   * needed.
   */
  #lose(cause: () => Error): void {
    if (this.#isLosing || this.#end !== undefined) return;
    this.#isLosing = true;
    const stop = this.#parts.clock.setTimer(lostStreamMs, () => {
      // This process may have been blocked. Let a pending exit event arrive before the time counts.
      setImmediate(() => {
        if (this.#exit === undefined) this.#break(cause());
      });
    });
    void this.#process?.exited.then(stop);
  }

  /** Ends the transport with an error. Destroys stdout, so that the program cannot go on writing. */
  #break(cause: Error): void {
    if (this.#end !== undefined) return;
    this.onerror?.(cause);
    this.#process?.stdout.destroy();
    this.#finish({ reason: cause.message, cause });
  }

  /**
   * Ends the transport once. `onclose` fails pending calls immediately; the program is stopped in the
   * background.
   */
  #finish(end: TransportEnd): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    const error = end.cause ?? gone(this.#plan.server, this.#exit);
    this.#calledOff.abort(error);
    this.#inbox?.close();
    this.#queue?.fail(error);
    this.#opening.reject(error);
    this.#firstByteSeen.resolve();
    this.onclose?.();
    void this.#process?.stop(this.#parts.stop);
  }
}
