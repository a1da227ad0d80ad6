/** Questions to a person at a terminal, one at a time. They go to stderr: stdout belongs to the answer of the command. */

import type { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { isatty } from 'node:tty';

import { divertOutput, eraseQuestion, writeAbove } from './ask-screen.ts';
import { createQuestionQueue } from './ask-turns.ts';
import { escMs, onEsc } from './esc-key.ts';

/** All but the last line of the question is shown above it. `fresh`: what was typed before it is shown is no answer. */
type Ask = (question: string, signal?: AbortSignal, fresh?: boolean) => Promise<string | undefined>;

export interface Terminal {
  /** The line typed; undefined after Esc, and when the input ended, was interrupted or is no longer wanted. */
  readonly askLine: Ask;
  /** The same without showing what is typed. */
  readonly askHidden: Ask;
  /** For a line of any length: systems cut those that they edit themselves, some at 1024 characters. */
  readonly askLong: Ask;
  readonly columns: () => number;
}

export interface TerminalParts {
  /** Ctrl-C where the system does not turn it into a signal. */
  readonly onInterrupt?: () => void;
  /** Once it is aborted nothing is asked any more: the system's own signal does not end a question. */
  readonly interrupted?: AbortSignal;
}

/** Undefined where nobody can be asked. */
export function openTerminal({ onInterrupt, interrupted }: TerminalParts = {}): Terminal | undefined {
  // Not `process.stdin`: the first look at it opens a stream, and most commands never read one.
  if (!isatty(0) || !isatty(2)) return undefined;
  const inTurn = createQuestionQueue();
  let typedAhead = '';
  const asking =
    (isHidden: boolean): Ask =>
    (question, asker, fresh = false) => {
      const signal = either(asker, interrupted);
      return inTurn(async () => {
        // Few commands ask anything: who does not ask does not pay for it.
        const { createInterface: open } = await import('node:readline');
        if (fresh) typedAhead = '';
        if (fresh && (await dropTyped()) === 'interrupted') onInterrupt?.();
        if (signal?.aborted === true) return undefined;
        const given = await ask(question, { open, isHidden, signal, onInterrupt, typed: typedAhead });
        typedAhead = given.rest;
        return given.answer;
      }, signal);
    };
  return {
    askLine: asking(false),
    askHidden: asking(true),
    askLong: asking(false),
    columns: () => process.stderr.columns,
  };
}

interface AskOptions {
  readonly open: typeof createInterface;
  readonly isHidden: boolean;
  readonly signal: AbortSignal | undefined;
  readonly onInterrupt: (() => void) | undefined;
  /** As if it were typed now. */
  readonly typed: string;
}

interface Given {
  readonly answer: string | undefined;
  /** What was typed after it. */
  readonly rest: string;
}

function either(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length === 0 ? undefined : AbortSignal.any(given);
}

/** How long what the system kept for us takes to arrive. */
const arrivalMs = 20;

async function dropTyped(): Promise<'interrupted' | 'nothing'> {
  const input = process.stdin;
  let dropped = '';
  const drop = (chunk: Buffer | string): void => {
    dropped += String(chunk);
  };
  input.setRawMode(true);
  input.on('data', drop);
  await new Promise((resolve) => {
    setTimeout(resolve, arrivalMs);
  });
  input.off('data', drop);
  input.pause();
  input.setRawMode(false);
  return dropped.includes('\u0003') ? 'interrupted' : 'nothing';
}

function ask(question: string, options: AskOptions): Promise<Given> {
  const { open, isHidden, signal, onInterrupt, typed } = options;
  const cut = question.lastIndexOf('\n') + 1;
  const prompt = question.slice(cut);
  const write = process.stderr.write.bind(process.stderr) as (text: string) => void; // the plainest of its forms
  let answer: string | undefined;
  let rest = '';
  let isQuiet = true;
  const output = outputTo((text) => {
    if (!isQuiet) write(text);
  });
  // The reader edits the line, so it can be drawn again; a terminal's own editing cannot.
  const reader = open({
    input: process.stdin,
    output,
    terminal: true,
    historySize: 0,
    escapeCodeTimeout: escMs,
    prompt,
  });
  const shown = { reader, prompt, isHidden };
  // Only now: what is typed at once must find the terminal silent already. It begins on an empty line, in plain text.
  write(`\r\u001b[0J${question}`);
  reader.prompt();
  isQuiet = isHidden;
  let held = '';
  const restore = divertOutput((text) => {
    // What the question is about stays right above it.
    if (cut > 0) held += text;
    else writeAbove(shown, text, write);
  });
  return new Promise((resolve) => {
    const callOff = (): void => {
      eraseQuestion(shown, question.slice(0, cut), write);
      reader.close();
    };
    signal?.addEventListener('abort', callOff, { once: true });
    const forgetEsc = onEsc(() => reader.close());
    reader.on('line', (line) => {
      if (answer !== undefined) {
        rest += `${line}\n`;
        return;
      }
      answer = line;
      // What is typed after it belongs to nobody yet.
      isQuiet = true;
      setImmediate(() => reader.close());
    });
    reader.once('SIGINT', () => {
      reader.close();
      onInterrupt?.();
    });
    reader.once('close', () => {
      signal?.removeEventListener('abort', callOff);
      forgetEsc();
      if (signal?.aborted !== true && (isHidden || answer === undefined)) write('\n');
      if (held !== '') write(held);
      restore();
      resolve({ answer, rest: answer === undefined ? '' : rest + reader.line });
    });
    if (typed !== '') reader.write(typed);
  });
}

/** For the reader: as wide as the terminal. */
function outputTo(write: (text: string) => void): Writable {
  const output = new Writable({
    write: (chunk: Buffer, _, done) => {
      write(chunk.toString('utf8'));
      done();
    },
  });
  Object.defineProperty(output, 'columns', { get: () => process.stderr.columns });
  return output;
}
