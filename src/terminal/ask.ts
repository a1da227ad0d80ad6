/**
 * Asks the user questions at a terminal, one at a time. Questions go to stderr, because stdout is for the
 * command's output. Also reads piped input.
 */

import type { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

import { createTurns } from '../platform/turns.ts';
import { divertOutput, eraseQuestion, writeAbove } from './ask-screen.ts';
import { escMs, onEsc } from './esc-key.ts';

/**
 * The prompt is the last line of the question; the lines before it are shown above. `fresh` discards input
 * typed before the question appeared.
 */
type Ask = (question: string, signal?: AbortSignal, fresh?: boolean) => Promise<string | undefined>;

export interface Terminal {
  /**
   * Returns the typed line. Undefined after Esc, or when the input ended, was interrupted or the question was
   * cancelled.
   */
  readonly askLine: Ask;
  /** Like `askLine`, without echoing the input. */
  readonly askHidden: Ask;
  /**
   * For lines of any length. Line editing by the operating system truncates them, on some systems at 1024
   * characters.
   */
  readonly askLong: Ask;
  readonly columns: () => number;
}

export interface TerminalParts {
  /** Called for Ctrl-C while the terminal is in raw mode, where it does not raise a signal. */
  readonly onInterrupt?: () => void;
  /**
   * When aborted, open questions are cancelled and no further ones are asked. The system's own signal does
   * not end a question.
   */
  readonly interrupted?: AbortSignal;
}

/** The caller checks that stdin and stderr are terminals. */
export function createTerminal({ onInterrupt, interrupted }: TerminalParts = {}): Terminal {
  const inTurn = createQuestionQueue();
  let typedAhead = '';
  const asking =
    (isHidden: boolean): Ask =>
    (question, asker, fresh = false) => {
      const signal = either(asker, interrupted);
      return inTurn(async () => {
        // Loaded on demand, because few commands ask a question.
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
  /** Input to process as if it were typed now. */
  readonly typed: string;
}

interface Given {
  readonly answer: string | undefined;
  /** What was typed after the answer. */
  readonly rest: string;
}

function either(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length === 0 ? undefined : AbortSignal.any(given);
}

/** How long buffered terminal input takes to arrive. */
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
  const write = process.stderr.write.bind(process.stderr) as (text: string) => void; // the simplest overload
  let answer: string | undefined;
  let rest = '';
  let isQuiet = true;
  const output = outputTo((text) => {
    if (!isQuiet) write(text);
  });
  // readline edits the line itself, so it can be redrawn; with the terminal's own line editing it cannot.
  const reader = open({
    input: process.stdin,
    output,
    terminal: true,
    historySize: 0,
    escapeCodeTimeout: escMs,
    prompt,
  });
  const shown = { reader, prompt, isHidden };
  // Written only after readline has switched off echo, so that input typed right away is not echoed. Starts
  // on an empty line.
  write(`\r\u001b[0J${question}`);
  reader.prompt();
  isQuiet = isHidden;
  let held = '';
  const restore = divertOutput((text) => {
    // The text above the prompt must stay directly above it, so other output waits.
    if (cut > 0) held += text;
    else writeAbove(shown, text, write);
  });
  return new Promise((resolve) => {
    const cancel = (): void => {
      eraseQuestion(shown, question.slice(0, cut), write);
      reader.close();
    };
    signal?.addEventListener('abort', cancel, { once: true });
    const forgetEsc = onEsc(() => reader.close());
    reader.on('line', (line) => {
      if (answer !== undefined) {
        rest += `${line}\n`;
        return;
      }
      answer = line;
      // Input typed after the answer belongs to the next question, so do not echo it.
      isQuiet = true;
      setImmediate(() => reader.close());
    });
    reader.once('SIGINT', () => {
      reader.close();
      onInterrupt?.();
    });
    reader.once('close', () => {
      signal?.removeEventListener('abort', cancel);
      forgetEsc();
      if (signal?.aborted !== true && (isHidden || answer === undefined)) write('\n');
      if (held !== '') write(held);
      restore();
      resolve({ answer, rest: answer === undefined ? '' : rest + reader.line });
    });
    if (typed !== '') reader.write(typed);
  });
}

/** The output stream for readline, as wide as the terminal. */
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

/** Runs `work` when all earlier work is done. Resolves to undefined when the signal aborts before that. */
type InTurn = <Answer>(work: () => Promise<Answer>, signal?: AbortSignal) => Promise<Answer | undefined>;

export function createQuestionQueue(): InTurn {
  const turns = createTurns();
  return async (work, signal = new AbortController().signal) => {
    const release = await turns.take('question', { signal, onWait: () => undefined }).catch(() => undefined);
    if (release === undefined) return undefined;
    try {
      return await work();
    } finally {
      release();
    }
  };
}

/**
 * The queue for dialogues of several questions. A process has only one user, so dialogues must not
 * interleave.
 */
export const inConversation: InTurn = (work, signal) => {
  dialogues ??= createQuestionQueue();
  return dialogues(work, signal);
};

let dialogues: InTurn | undefined;

/** Reads all of standard input as text. Throws when there are more than `maxBytes` bytes. */
export async function readStdin(maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    const piece = Buffer.from(chunk as Uint8Array); // stdin emits buffers when no encoding is set
    bytes += piece.length;
    if (bytes > maxBytes) throw new Error(`standard input has more than ${maxBytes} bytes`);
    chunks.push(piece);
  }
  return Buffer.concat(chunks).toString('utf8');
}
