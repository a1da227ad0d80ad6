/**
 * A line editor at a terminal: history, completion, questions in place, and lines printed above what is being typed.
 * In a pipe it reads lines and shows neither prompt nor completion.
 */

import readline from 'node:readline';
import { Writable } from 'node:stream';

export interface Key {
  readonly name: string;
  readonly ctrl: boolean;
}

export interface EditorParts {
  /** Newest first. */
  readonly history: readonly string[];
  /** What could stand in place of the last word, and that word. */
  readonly complete: (line: string) => Promise<readonly [readonly string[], string]>;
  /** Ctrl-C. */
  readonly onInterrupt: () => void;
}

type Take = (line: string | undefined) => void;

export class LineEditor {
  readonly isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  readonly #reader: readline.Interface;
  readonly #lines: string[] = [];
  /** Whoever waits for a line, the last one first: a question comes before the next command. */
  readonly #takers: Take[] = [];
  #history: readonly string[];
  #isMuted = false;
  #isAsking = false;
  #isOver = false;
  #prompt = '';

  constructor({ history, complete, onInterrupt }: EditorParts) {
    this.#history = history;
    this.#reader = readline.createInterface({
      input: process.stdin,
      output: this.#createOutput(),
      terminal: this.isTerminal,
      history: [...history],
      historySize: 1000,
      removeHistoryDuplicates: true,
      prompt: '',
      completer: (line: string, answer: (error: null, found: [string[], string]) => void) => {
        void complete(line).then(
          ([matches, word]) => answer(null, [[...matches], word]),
          () => answer(null, [[], line]),
        );
      },
    });
    this.#reader.on('line', (line) => this.#receive(line));
    this.#reader.on('history', (lines: string[]) => {
      // Answers are nobody's commands, and may be secret.
      if (this.#isAsking) lines.shift();
      this.#history = [...lines];
    });
    this.#reader.on('SIGINT', onInterrupt);
    this.#reader.on('close', () => {
      this.#isOver = true;
      for (const take of this.#takers.splice(0)) take(undefined);
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
    this.setPrompt(prompt);
    return this.#nextTyped();
  }

  /** Changes the prompt while somebody types. */
  setPrompt(prompt: string): void {
    this.#prompt = prompt;
    if (!this.#isAsking) this.#show(prompt);
  }

  /** Asks in place; what was being typed is kept. */
  async ask(
    question: string,
    { hidden = false, signal }: { readonly hidden?: boolean; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<string | undefined> {
    if (signal?.aborted === true || this.#isOver) return undefined;
    const typed = this.#reader.line;
    this.#eraseLine();
    this.#isAsking = true;
    this.#setTyped('');
    this.#show(question);
    this.#isMuted = hidden;
    try {
      return await this.#nextAnswer(signal);
    } finally {
      this.#isMuted = false;
      this.#isAsking = false;
      if (hidden) this.write('\n');
      this.#setTyped(typed);
      this.#show(this.#prompt);
    }
  }

  /** Lines above what is being typed. */
  print(text: string): void {
    this.#eraseLine();
    this.write(text.endsWith('\n') ? text : `${text}\n`);
    if (this.isTerminal && this.#takers.length > 0) this.#reader.prompt(true);
  }

  write(text: string): void {
    process.stdout.write(text);
  }

  /** Hands over single keys until one of them is the last. */
  async keys(onKey: (key: Key) => 'more' | 'over'): Promise<void> {
    const input = process.stdin;
    const listeners = input.listeners('keypress');
    input.removeAllListeners('keypress');
    await new Promise<void>((resolve) => {
      const take = (_: string | undefined, { name = '', ctrl = false }: Partial<Key> = {}): void => {
        if (onKey({ name, ctrl }) === 'more') return;
        input.off('keypress', take);
        resolve();
      };
      input.on('keypress', take);
    });
    for (const listener of listeners) input.on('keypress', listener as () => void); // as they were
  }

  /** Throws away what is being typed. */
  clearLine(): void {
    if (this.#isOver) return;
    this.write('\n');
    this.#setTyped('');
    this.#reader.prompt();
  }

  close(): void {
    this.#reader.close();
  }

  #nextAnswer(signal: AbortSignal | undefined): Promise<string | undefined> {
    return new Promise((resolve) => {
      const give: Take = (line) => {
        signal?.removeEventListener('abort', stop);
        resolve(line);
      };
      const stop = (): void => {
        this.#takers.splice(this.#takers.indexOf(give), 1);
        give(undefined);
      };
      signal?.addEventListener('abort', stop, { once: true });
      this.#takers.unshift(give);
    });
  }

  #nextTyped(): Promise<string | undefined> {
    const ready = this.#lines.shift();
    if (ready !== undefined) return Promise.resolve(ready);
    if (this.#isOver) return Promise.resolve(undefined);
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  #receive(line: string): void {
    const take = this.#takers.shift();
    if (take === undefined) this.#lines.push(line);
    else take(line);
  }

  #show(prompt: string): void {
    // A prompt after the end would wake the input up again.
    if (!this.isTerminal || this.#isOver) return;
    this.#reader.setPrompt(prompt);
    if (this.#takers.length > 0 || this.#isAsking) this.#reader.prompt(true);
    else this.#reader.prompt();
  }

  #eraseLine(): void {
    if (!this.isTerminal) return;
    readline.cursorTo(process.stdout, 0);
    readline.clearScreenDown(process.stdout);
  }

  #setTyped(text: string): void {
    if (!this.isTerminal || this.#isOver) return;
    // The documented way to change what is typed: take it away, then type.
    this.#reader.write(null, { ctrl: true, name: 'e' });
    this.#reader.write(null, { ctrl: true, name: 'u' });
    if (text !== '') this.#reader.write(text);
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
