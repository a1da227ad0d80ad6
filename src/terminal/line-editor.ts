/**
 * A line editor for terminals, with history, completion, questions, a panel and output above all of them.
 * When stdin or stdout is not a terminal, it only reads lines, without prompt or completion.
 */

import readline from 'node:readline';
import { Writable } from 'node:stream';

import { erasePrompt, eraseQuestion, eraseRows, writeAbove } from './ask-screen.ts';
import { createQuestionQueue } from './ask.ts';
import { escMs, watchEsc } from './esc-key.ts';

export interface Key {
  readonly name: string;
  readonly ctrl: boolean;
}

export interface EditorParts {
  /** Newest first. */
  readonly history: readonly string[];
  /** Returns the candidates that can replace the last word, and that word. */
  readonly complete: (line: string) => Promise<readonly [readonly string[], string]>;
  /** Called on Ctrl-C. When a question was open, it is already cancelled and the argument is true. */
  readonly onInterrupt: (hasCancelled: boolean) => void;
  readonly layout: EditorLayout;
}

/** Formats text around the prompt at a terminal. */
export interface EditorLayout {
  readonly print: (text: string, columns: number) => string;
  readonly question: (
    question: string,
    columns: number,
  ) => {
    /** Lines above the prompt, each with its line break. May be empty. */
    readonly about: string;
    readonly prompt: string;
  };
}

/** Lines at the bottom of the screen with their own key handling. Hidden while a question is open. */
export interface Panel {
  readonly lines: (size: { readonly columns: number; readonly rows: number }) => readonly string[];
  readonly onKey: (key: Key) => 'more' | 'over';
}

type Take = (line: string | undefined) => void;
/**
 * A cancelled question is removed completely. When the user leaves a question, the text above the prompt
 * stays.
 */
type QuestionEnd = 'answered' | 'left' | 'cancelled';

interface OpenQuestion {
  readonly prompt: string;
  readonly isHidden: boolean;
  readonly take: Take;
  /** The text above the prompt. It stays there, so other output is held back. */
  readonly about: string;
  readonly isEsc: ReturnType<typeof watchEsc>;
}

interface OpenPanel extends Panel {
  /** The number of rows it currently occupies. */
  drawn: number;
  readonly end: () => void;
}

export class LineEditor {
  readonly isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  readonly #reader: readline.Interface;
  readonly #inTurn = createQuestionQueue();
  readonly #lines: string[] = [];
  /** Receives the next command line. */
  #taker: Take | undefined;
  #question: OpenQuestion | undefined;
  #held = '';
  #panel: OpenPanel | undefined;
  #history: readonly string[];
  #isMuted = false;
  #isOver = false;
  #prompt = '';
  #progress = '';
  readonly #layout: EditorLayout;

  constructor({ history, complete, onInterrupt, layout }: EditorParts) {
    this.#history = history;
    this.#layout = layout;
    this.#reader = readline.createInterface({
      input: process.stdin,
      output: this.#createOutput(),
      terminal: this.isTerminal,
      history: [...history],
      historySize: 1000,
      escapeCodeTimeout: escMs,
      removeHistoryDuplicates: true,
      prompt: '',
      completer: (line: string, answer: (error: null, found: [string[], string]) => void) => {
        if (this.#question !== undefined) return answer(null, [[], line]);
        void complete(line).then(
          ([matches, word]) => answer(null, [[...matches], word]),
          () => answer(null, [[], line]),
        );
      },
    });
    const stopRouting = this.isTerminal ? this.#routeKeys() : () => undefined;
    this.#reader.on('line', (line) => this.#receive(line));
    this.#reader.on('history', (lines: string[]) => {
      // Answers are not commands and may be secret, so they do not go into the history.
      if (this.#question !== undefined) lines.shift();
      this.#history = [...lines];
    });
    this.#reader.on('SIGINT', () => {
      const asked = this.#question;
      asked?.take(undefined);
      onInterrupt(asked !== undefined);
    });
    this.#reader.on('close', () => {
      stopRouting();
      this.#end();
    });
  }

  get history(): readonly string[] {
    return this.#history;
  }

  get columns(): number {
    return process.stdout.columns || 80;
  }

  /** Returns the next line, or undefined when the input has ended. */
  nextLine(prompt: string): Promise<string | undefined> {
    this.#prompt = prompt;
    const ready = this.#lines.shift();
    if (ready !== undefined) return Promise.resolve(ready);
    if (this.#isOver) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#taker = resolve;
      this.#showBottom();
    });
  }

  /** Changes the prompt, even while the user is typing. */
  setPrompt(prompt: string): void {
    this.#prompt = prompt;
    if (this.#question === undefined) this.#showBottom();
  }

  /**
   * Asks a question when earlier ones are answered, and restores the unfinished input afterwards. Esc, Ctrl-C
   * and Ctrl-D resolve to undefined.
   */
  ask(
    question: string,
    { hidden = false, signal }: { readonly hidden?: boolean; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<string | undefined> {
    return this.#inTurn(() => this.#askNow(question, hidden, signal), signal);
  }

  /**
   * Prints lines above the input, question or panel. If the open question has text above its prompt, they are
   * printed after it closes.
   */
  print(text: string): void {
    const whole = text.endsWith('\n') ? text : `${text}\n`;
    const lines = this.isTerminal ? this.#layout.print(whole, this.columns) : whole;
    const shown = this.#shownPrompt();
    if (!this.isTerminal) this.write(lines);
    else if ((this.#question?.about ?? '') !== '') this.#held += lines;
    else if (shown !== undefined) writeAbove(shown, lines, (more) => this.write(more));
    else {
      this.#eraseBottom();
      this.write(lines);
      this.#showBottom();
    }
  }

  write(text: string): void {
    process.stdout.write(text);
  }

  /**
   * Shows one line at the bottom while a command runs, replacing the previous one. An empty string removes
   * it.
   */
  showProgress(line: string): void {
    if (!this.isTerminal || line === this.#progress) return;
    this.#progress = line;
    if (this.#question !== undefined || this.#panel !== undefined || this.#taker !== undefined) return;
    this.#eraseBottom();
    this.#showBottom();
  }

  /** Shows a panel until its `onKey` returns `over`. */
  async showPanel(panel: Panel): Promise<void> {
    if (this.#isOver) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        // Reset right away, so that the panel does not receive the next key.
        this.#panel = undefined;
        resolve();
      };
      this.#panel = { ...panel, drawn: 0, end };
      this.refreshPanel();
    });
  }

  refreshPanel(): void {
    const panel = this.#panel;
    if (panel === undefined || this.#question !== undefined) return;
    const lines = panel.lines({ columns: this.columns, rows: process.stdout.rows || 24 });
    this.write(`${eraseRows(panel.drawn)}${lines.map((line) => `${line}\n`).join('')}`);
    panel.drawn = lines.length;
  }

  /** Discards the unfinished input. */
  clearLine(): void {
    if (this.#isOver) return;
    this.write('\n');
    this.#forgetTyped();
    this.#showBottom();
  }

  close(): void {
    this.#reader.close();
  }

  async #askNow(
    question: string,
    isHidden: boolean,
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    if (signal?.aborted === true || this.#isOver) return undefined;
    const typed = this.#reader.line;
    this.#eraseBottom();
    this.#forgetTyped();
    const { about, prompt } = this.#layout.question(question, this.columns);
    if (about !== '') this.write(about);
    const answer = await new Promise<string | undefined>((resolve) => {
      const end = (line: string | undefined, how: QuestionEnd): void => {
        signal?.removeEventListener('abort', cancel);
        this.#endQuestion(how);
        resolve(line);
      };
      const cancel = (): void => end(undefined, 'cancelled');
      const take: Take = (line) => end(line, line === undefined ? 'left' : 'answered');
      signal?.addEventListener('abort', cancel, { once: true });
      this.#question = { prompt, isHidden, take, about, isEsc: watchEsc() };
      this.#showQuestion(this.#question);
    });
    this.#forgetTyped();
    this.#showBottom();
    if (typed !== '' && !this.#isOver) this.#reader.write(typed);
    return answer;
  }

  #showQuestion({ prompt, isHidden }: OpenQuestion): void {
    if (!this.isTerminal) return;
    this.#reader.setPrompt(prompt);
    this.#reader.prompt(true);
    this.#isMuted = isHidden;
  }

  #endQuestion(how: QuestionEnd): void {
    const shown = this.#shownPrompt();
    if (this.isTerminal && shown !== undefined && how !== 'answered')
      eraseQuestion(shown, how === 'left' ? '' : (this.#question?.about ?? ''), (text) => this.write(text));
    // For visible input, readline has already written the line break.
    if (how === 'answered' && this.#isMuted) this.write('\n');
    this.#isMuted = false;
    this.#question = undefined;
    if (this.#held !== '') this.write(this.#held);
    this.#held = '';
  }

  /** Shows the panel, or else the prompt for the next command, or else the progress line. */
  #showBottom(): void {
    // A prompt after the end would resume reading the input.
    if (!this.isTerminal || this.#isOver) return;
    if (this.#panel !== undefined) this.refreshPanel();
    else if (this.#taker !== undefined) {
      this.#reader.setPrompt(this.#prompt);
      this.#reader.prompt(true);
    } else if (this.#progress !== '') this.write(`${eraseRows(0)}${this.#progress}`);
  }

  #eraseBottom(): void {
    if (!this.isTerminal) return;
    const shown = this.#shownPrompt();
    if (shown === undefined) this.write(eraseRows(this.#panel?.drawn ?? 0));
    else erasePrompt(shown, (text) => this.write(text));
    if (this.#panel !== undefined) this.#panel.drawn = 0;
  }

  #shownPrompt(): Parameters<typeof erasePrompt>[0] | undefined {
    const reader = this.#reader;
    if (this.#question !== undefined) return { reader, ...this.#question };
    const isTyping = this.#panel === undefined && this.#taker !== undefined;
    return isTyping ? { reader, prompt: this.#prompt, isHidden: false } : undefined;
  }

  #receive(line: string): void {
    if (this.#question !== undefined) return this.#question.take(line);
    const take = this.#taker;
    this.#taker = undefined;
    if (take === undefined) this.#lines.push(line);
    else take(line);
  }

  #end(): void {
    // Moves the cursor to a new line for the output that follows.
    if (this.isTerminal && this.#taker !== undefined) this.write('\n');
    this.#isOver = true;
    this.#question?.take(undefined);
    this.#panel?.end();
    this.#taker?.(undefined);
    this.#taker = undefined;
  }

  /**
   * Sends keys to the panel instead of readline. At a question, Esc and Ctrl-D on an empty line end the
   * question.
   */
  #routeKeys(): () => void {
    const input = process.stdin;
    const listeners = input.listeners('keypress') as ((
      text: string | undefined,
      key: Partial<Key>,
    ) => void)[]; // readline's own listeners
    const route = (text: string | undefined, key: Partial<Key>): void => {
      const { name = '', ctrl = false } = key;
      const [asked, panel] = [this.#question, this.#panel];
      const isEnd = ctrl && name === 'd' && this.#reader.line === '';
      if (asked !== undefined && (isEnd || asked.isEsc(key))) asked.take(undefined);
      else if (asked !== undefined || panel === undefined)
        for (const listener of listeners) listener.call(this.#reader, text, key);
      else if (panel.onKey({ name, ctrl }) === 'over') panel.end();
    };
    input.removeAllListeners('keypress');
    input.on('keypress', route);
    return () => input.off('keypress', route);
  }

  /** Clears readline's input without output, so that the next prompt starts at the cursor. */
  #forgetTyped(): void {
    if (!this.isTerminal || this.#isOver) return;
    this.#isMuted = true;
    this.#reader.setPrompt('');
    // The only documented way to change readline's input is to send it editing keys.
    this.#reader.write(null, { ctrl: true, name: 'e' });
    this.#reader.write(null, { ctrl: true, name: 'u' });
    this.#isMuted = false;
  }

  /** The output stream for readline. It discards everything while a secret is typed. */
  #createOutput(): Writable {
    const output = new Writable({
      write: (chunk: Buffer, _, done) => {
        if (!this.#isMuted) process.stdout.write(chunk);
        done();
      },
    });
    Object.defineProperty(output, 'columns', { get: () => process.stdout.columns });
    return output;
  }
}
