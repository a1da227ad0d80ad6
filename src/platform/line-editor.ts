/**
 * A line editor at a terminal: history, completion, questions in place, a panel, and lines printed above all of them.
 * In a pipe it reads lines and shows neither prompt nor completion.
 */

import readline from 'node:readline';
import { Writable } from 'node:stream';

import { erasePrompt, eraseQuestion, eraseRows, writeAbove } from './ask-screen.ts';
import { createQuestionQueue } from './ask-turns.ts';
import { escMs, watchEsc } from './esc-key.ts';

export interface Key {
  readonly name: string;
  readonly ctrl: boolean;
}

export interface EditorParts {
  /** Newest first. */
  readonly history: readonly string[];
  /** What could stand in place of the last word, and that word. */
  readonly complete: (line: string) => Promise<readonly [readonly string[], string]>;
  /** Ctrl-C. A question that stood there has been called off already. */
  readonly onInterrupt: (hasCalledOff: boolean) => void;
  readonly layout: EditorLayout;
}

/** How text is set apart from the prompt at a terminal. */
export interface EditorLayout {
  readonly print: (text: string, columns: number) => string;
  readonly question: (
    question: string,
    columns: number,
  ) => {
    /** Lines above the prompt, each with its line break; may be empty. */
    readonly about: string;
    readonly prompt: string;
  };
}

/** Lines at the bottom of the screen, and what keys do there. It steps aside for a question. */
export interface Panel {
  readonly lines: (size: { readonly columns: number; readonly rows: number }) => readonly string[];
  readonly onKey: (key: Key) => 'more' | 'over';
}

type Take = (line: string | undefined) => void;
/** What nobody is to answer any more goes whole; of what the person left, what it was about stays. */
type QuestionEnd = 'answered' | 'left' | 'called off';

interface OpenQuestion {
  readonly prompt: string;
  readonly isHidden: boolean;
  readonly take: Take;
  /** What is shown above it and stays there: other lines wait. */
  readonly about: string;
  readonly isEsc: ReturnType<typeof watchEsc>;
}

interface OpenPanel extends Panel {
  /** How many rows it takes now. */
  drawn: number;
  readonly end: () => void;
}

export class LineEditor {
  readonly isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  readonly #reader: readline.Interface;
  readonly #inTurn = createQuestionQueue();
  readonly #lines: string[] = [];
  /** Whoever waits for the next command. */
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
      // Answers are nobody's commands, and may be secret.
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

  /** The next line; undefined when the input is over. */
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

  /** Changes the prompt while somebody types. */
  setPrompt(prompt: string): void {
    this.#prompt = prompt;
    if (this.#question === undefined) this.#showBottom();
  }

  /** Asks in place, when those before are answered; what was being typed is kept. Esc, Ctrl-C and Ctrl-D give no answer. */
  ask(
    question: string,
    { hidden = false, signal }: { readonly hidden?: boolean; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<string | undefined> {
    return this.#inTurn(() => this.#askNow(question, hidden, signal), signal);
  }

  /** Lines above what is being typed, asked or shown; after a question that says what it is about. */
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

  /** One line at the bottom while a command runs, replaced by the next one; an empty line removes it. */
  showProgress(line: string): void {
    if (!this.isTerminal || line === this.#progress) return;
    this.#progress = line;
    if (this.#question !== undefined || this.#panel !== undefined || this.#taker !== undefined) return;
    this.#eraseBottom();
    this.#showBottom();
  }

  /** Shows a panel until one of the keys is the last. */
  async showPanel(panel: Panel): Promise<void> {
    if (this.#isOver) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        // At once: the next key is no longer one of its own.
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

  /** Throws away what is being typed. */
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
        signal?.removeEventListener('abort', callOff);
        this.#endQuestion(how);
        resolve(line);
      };
      const callOff = (): void => end(undefined, 'called off');
      const take: Take = (line) => end(line, line === undefined ? 'left' : 'answered');
      signal?.addEventListener('abort', callOff, { once: true });
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
    // The reader ended the line itself where it may show it.
    if (how === 'answered' && this.#isMuted) this.write('\n');
    this.#isMuted = false;
    this.#question = undefined;
    if (this.#held !== '') this.write(this.#held);
    this.#held = '';
  }

  /** What stands at the bottom when nothing is asked: the panel, or the prompt for the next command. */
  #showBottom(): void {
    // A prompt after the end would wake the input up again.
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
    // Whoever reads what comes after finds it on a line of its own.
    if (this.isTerminal && this.#taker !== undefined) this.write('\n');
    this.#isOver = true;
    this.#question?.take(undefined);
    this.#panel?.end();
    this.#taker?.(undefined);
    this.#taker = undefined;
  }

  /** Keys of a panel are not typed; Esc and the end of the input at a question are the end of that question. */
  #routeKeys(): () => void {
    const input = process.stdin;
    const listeners = input.listeners('keypress') as ((
      text: string | undefined,
      key: Partial<Key>,
    ) => void)[]; // the reader's
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

  /** Shows nothing, and has the next prompt begin where the cursor stands. */
  #forgetTyped(): void {
    if (!this.isTerminal || this.#isOver) return;
    this.#isMuted = true;
    this.#reader.setPrompt('');
    // The documented way to change what is typed: take it away.
    this.#reader.write(null, { ctrl: true, name: 'e' });
    this.#reader.write(null, { ctrl: true, name: 'u' });
    this.#isMuted = false;
  }

  /** What readline writes: nothing while a secret is typed. */
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
