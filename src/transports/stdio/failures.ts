/** Converts a launch plan to the program to start, and names the errors of such programs. */

import { HoltError } from '../../kernel/errors.ts';
import { maskArgs } from '../../masking/mask-secrets.ts';
import { maxLevels } from '../../network/count-structure.ts';
import type { MessageExcess, MessageLimits } from '../../network/message-meter.ts';
import type { LogFile } from '../../platform/files/log-file.ts';
import type { ExitFacts, ServerProgram } from '../../platform/processes/server-process.ts';
import type { StdioPlan } from '../../secrets/launch-plan.ts';

export function gone(server: string, exit: ExitFacts | undefined): HoltError<'server-exited'> {
  const { exitCode = null, signal = null } = exit ?? {};
  const code = exitCode === null ? 'is not running' : `ended with exit code ${exitCode}`;
  const how = signal === null ? code : `was ended by ${signal}`;
  return new HoltError('server-exited', `Server "${server}" ${how}`, { server, exitCode, signal });
}

export function inputClosed(server: string, cause: Error): HoltError<'server-exited'> {
  const message = `Server "${server}" has closed its standard input`;
  return new HoltError('server-exited', message, { server, exitCode: null, signal: null }, { cause });
}

export function outputClosed(server: string): HoltError<'server-exited'> {
  const message = `Server "${server}" has closed its standard output`;
  return new HoltError('server-exited', message, { server, exitCode: null, signal: null });
}

export function tooLarge(
  server: string,
  excess: MessageExcess,
  { messageBytes, messageNodes }: MessageLimits,
): HoltError<'frame-too-large' | 'frame-too-complex'> {
  if (excess === 'bytes') {
    const limit = messageBytes < 1 << 20 ? `${messageBytes} bytes` : `${messageBytes >> 20} MiB`;
    const message = `Server "${server}" sent a message of more than ${limit}`;
    const remedy = 'Ask it for less at a time, or raise limits.messageBytes.';
    return new HoltError('frame-too-large', message, { server, maxBytes: messageBytes }, { remedy });
  }
  const [what, remedy] =
    excess === 'levels'
      ? [`that is nested more than ${maxLevels} levels deep`, 'Ask the server for flatter data.']
      : [
          `with more than ${messageNodes} structural characters (limits.messageNodes)`,
          'Ask it for less at a time, or raise limits.messageNodes.',
        ];
  const message = `Server "${server}" sent a message ${what}`;
  return new HoltError('frame-too-complex', message, { server, maxNodes: messageNodes }, { remedy });
}

export function noisy(server: string, line: string): string {
  return `Server "${server}" prints something on stdout that is not a message: ${JSON.stringify(line)}. It is kept in its log.`;
}

export function asError(value: unknown): Error {
  return value instanceof Error ? value : new Error(String(value));
}

export function programOf(
  { server, program, args, env, cwd }: StdioPlan,
  log: Pick<LogFile, 'redact'>,
): ServerProgram {
  const words = args.map((arg) => arg.reveal());
  return {
    server,
    program,
    args: words,
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value.reveal()])),
    cwd,
    command: () => log.redact([program, ...maskArgs(words)].join(' ')),
  };
}
