/** `holt repl`: an interactive session on a running host. Connects in the background; ends with the input. */

import { fileProblemLines } from '../commands/diagnosis/host-warnings.ts';
import type { Host } from '../host/host.ts';
import type { HostEventName } from '../kernel/events.ts';
import type { Machine } from '../kernel/machine.ts';
import { escapeBlock, escapeLine } from '../masking/escape-text.ts';
import { writeFileAtomically } from '../platform/files/atomic-write.ts';
import { LineEditor } from '../terminal/line-editor.ts';
import { cutToWidth, layOutQuestion, margin, withMargin } from '../terminal/wrap.ts';
import type { Style } from '../terminal/style.ts';
import { aborted } from '../platform/waits.ts';
import { complete, type Known } from './complete.ts';
import { createHistoryFile } from './history-file.ts';
import { eventLine, helpLines, mutationToast, statusToast } from './session-text.ts';
import { movePanel, panelLines, panelText, type PanelState } from './panel.ts';
import {
  type Action,
  isUnfinished,
  readLine,
  translate,
  unknownWord,
  type Vocabulary,
  withLast,
} from './translate.ts';
import { detailLines, loadDetails } from './server-details.ts';

type Ask = (question: string, signal?: AbortSignal) => Promise<string | undefined>;

/** The person, as commands need them. In a pipe there is no person to ask: every line is a command. */
export interface ReplPerson {
  readonly askLine: Ask | undefined;
  readonly askHidden: Ask | undefined;
  /** The terminal's width without the margin. */
  readonly columns: () => number;
  /** Shows a line that the next one replaces; undefined removes it. */
  readonly progress: (line: string | undefined) => void;
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
}

export interface ReplParts {
  readonly machine: Machine;
  readonly style: Style;
  readonly commands: Known['commands'];
  /** Opens the host of this session, which asks this person. */
  openHost(person: ReplPerson): Promise<Host>;
  /** Runs one command line on the host and resolves to its exit code. Never rejects. */
  run(
    words: readonly string[],
    on: { readonly host: Host; readonly person: ReplPerson; readonly signal: AbortSignal },
  ): Promise<number>;
  /** Aborted when the process is asked to end. */
  readonly ended: AbortSignal;
}

/** The events that `/events` shows. */
const watched: readonly HostEventName[] = [
  'mcp.status.changed',
  'mcp.phase',
  'mcp.tools.changed',
  'mcp.resources.changed',
  'mcp.prompts.changed',
  'mcp.resource.updated',
  'mcp.tool.called',
  'mcp.tool.mutated',
  'mcp.auth.required',
  'mcp.auth.completed',
  'mcp.browser.open.failed',
  'mcp.log',
  'mcp.config.changed',
];

export async function startRepl(parts: ReplParts): Promise<void> {
  const history = createHistoryFile(parts.machine);
  let host: Host | undefined;
  let running: AbortController | undefined;
  const editor = new LineEditor({
    history: await history.load(),
    complete: async (line) =>
      complete(line, {
        commands: parts.commands,
        servers: Object.keys(host?.status() ?? {}),
        tools: (await host?.tools({ wait: 'cached' })) ?? [],
      }),
    onInterrupt: (hasCancelled) => {
      if (running !== undefined) running.abort(new DOMException('interrupted', 'AbortError'));
      else if (!hasCancelled) editor.clearLine();
    },
    layout: { print: withMargin, question: layOutQuestion },
  });
  const stop = (): void => editor.close();
  parts.ended.addEventListener('abort', stop, { once: true });
  try {
    host = await parts.openHost(personAt(editor));
    const repl = new Repl(parts, host, editor);
    repl.follow();
    repl.connect();
    for (;;) {
      const line = await repl.nextLine();
      if (line === undefined) break;
      running = new AbortController();
      const goesOn = await repl.act(line, running.signal);
      running = undefined;
      if (!goesOn) break;
    }
  } finally {
    parts.ended.removeEventListener('abort', stop);
    editor.close();
    await host?.close();
    if (editor.isTerminal) await history.save(editor.history).catch(() => undefined);
  }
}

function personAt(editor: LineEditor): ReplPerson {
  const asking =
    (hidden: boolean): Ask =>
    (question, signal) =>
      editor.ask(question, { hidden, signal });
  return {
    askLine: editor.isTerminal ? asking(false) : undefined,
    askHidden: editor.isTerminal ? asking(true) : undefined,
    columns: () => editor.columns - margin.length,
    progress: (line) =>
      editor.showProgress(line === undefined ? '' : cutToWidth(`${margin}${line}`, editor.columns)),
    out: (text) => editor.print(text),
    error: (text) => editor.print(text),
  };
}

class Repl {
  readonly #parts: ReplParts;
  readonly #host: Host;
  readonly #editor: LineEditor;
  #last = '';
  #showsEvents = false;
  #isBusy = false;
  #connected: Promise<unknown> = Promise.resolve();

  constructor(parts: ReplParts, host: Host, editor: LineEditor) {
    this.#parts = parts;
    this.#host = host;
    this.#editor = editor;
  }

  /** Keeps the prompt up to date, and prints events that the person should know about. */
  follow(): void {
    const host = this.#host;
    const refresh = (): void => {
      if (!this.#isBusy) this.#editor.setPrompt(this.#prompt());
    };
    host.on('mcp.status.changed', ({ server, status }) => {
      const toast = statusToast(server, status);
      if (toast !== undefined) this.#editor.print(this.#parts.style.yellow(toast));
      refresh();
    });
    host.on('mcp.config.changed', refresh);
    host.on('mcp.tool.mutated', (event) => {
      // A tool that is withheld has its own message.
      if (!event.withheld) this.#editor.print(this.#parts.style.yellow(mutationToast(event)));
    });
    for (const name of watched)
      host.on(name, (event) => {
        if (this.#showsEvents) this.#editor.print(this.#parts.style.dim(eventLine(name, event)));
      });
    refresh();
  }

  /** Connects all servers in the background. */
  connect(): void {
    this.#connected = this.#host.connect().catch(() => undefined);
  }

  /**
   * Resolves when every server has connected or failed, or when the signal aborts. Resolves immediately at a
   * terminal, where the panel updates itself.
   */
  async #whenSettled(signal: AbortSignal): Promise<void> {
    if (this.#editor.isTerminal || signal.aborted) return;
    await Promise.race([this.#connected, aborted(signal)]);
  }

  /** Reads a line, and further lines while its JSON is unfinished. */
  async nextLine(): Promise<string | undefined> {
    let line = await this.#editor.nextLine(this.#prompt());
    while (line !== undefined && isUnfinished(line)) {
      const more = await this.#editor.nextLine('… ');
      if (more === undefined || more.trim() === '') break;
      line = `${line}\n${more}`;
    }
    return line;
  }

  /** Runs a line. Resolves to false if it ends the session. */
  async act(line: string, signal: AbortSignal): Promise<boolean> {
    const typed = readLine(line);
    if (typed === undefined) {
      this.#editor.print('Unclosed quote. Close it and try again.');
      return true;
    }
    const action = translate(typed, this.#vocabulary());
    if (action.kind === 'quit') return false;
    this.#isBusy = true;
    try {
      const text = await this.#perform(action, typed.file, signal);
      if (text !== undefined) await this.#give(text, typed.file);
    } catch (error) {
      this.#editor.print(escapeBlock(error instanceof Error ? error.message : String(error)));
    } finally {
      this.#isBusy = false;
    }
    return true;
  }

  /** Returns the output, or undefined if it is already printed. */
  async #perform(
    action: Exclude<Action, { kind: 'quit' }>,
    file: string | undefined,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    switch (action.kind) {
      case 'nothing':
        return undefined;
      case 'help':
        return helpLines.join('\n');
      case 'last':
        if (this.#last !== '') return this.#last;
        this.#editor.print('There is no result yet.');
        return undefined;
      case 'events':
        this.#showsEvents = !this.#showsEvents;
        return this.#showsEvents ? 'Events are shown.' : 'Events are no longer shown.';
      case 'panel':
        return this.#showPanel(file, signal);
      case 'server':
        return this.#showServer(action.server, signal);
      case 'reload':
        return this.#reload(action.server);
      case 'command':
        return this.#runCommand(action, file, signal);
    }
  }

  async #runCommand(
    { words, edits }: Extract<Action, { kind: 'command' }>,
    file: string | undefined,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const unknown = unknownWord(words[0] ?? '', this.#vocabulary());
    if (unknown !== undefined) {
      this.#editor.print(unknown);
      return undefined;
    }
    let said = '';
    const out = (text: string): void => {
      said += text;
      // A question may follow, so print what leads to it immediately.
      if (file === undefined) this.#editor.print(text);
    };
    const person = { ...personAt(this.#editor), out };
    await this.#parts.run(withLast(words, this.#last), { host: this.#host, person, signal });
    if (edits) await this.#host.reload();
    if (said !== '') this.#last = said.trimEnd();
    return file === undefined || said === '' ? undefined : this.#last;
  }

  async #reload(server: string | undefined): Promise<string> {
    if (server === undefined) {
      const { added, removed, changed } = await this.#host.reload();
      const counts = `${added.length} added, ${removed.length} removed, ${changed.length} changed`;
      return [...fileProblemLines(this.#host.problems()), counts].join('\n');
    }
    await this.#host.disconnect(server);
    const { status } = await this.#host.connect(server, { ifEnabled: true });
    return status;
  }

  async #give(text: string, file: string | undefined): Promise<void> {
    if (file === undefined) {
      this.#editor.print(text);
      return;
    }
    const { machine } = this.#parts;
    const target = machine.path.resolve(machine.cwd, file);
    await writeFileAtomically(target, Buffer.from(`${text}\n`), { os: machine.os });
    this.#editor.print(`wrote ${target}`);
  }

  #vocabulary(): Vocabulary {
    return { servers: Object.keys(this.#host.status()), commands: this.#parts.commands };
  }

  async #showServer(server: string, signal: AbortSignal): Promise<string> {
    await this.#whenSettled(signal);
    const details = (await loadDetails(this.#host)).find(({ name }) => name === server);
    if (details === undefined) return `"${escapeLine(server)}" is no longer there.`;
    return [
      escapeLine(server),
      ...detailLines(details, this.#editor.columns - 2 * margin.length).map((line) => `${margin}${line}`),
    ].join('\n');
  }

  async #showPanel(file: string | undefined, signal: AbortSignal): Promise<string | undefined> {
    const { style } = this.#parts;
    await this.#whenSettled(signal);
    let state: PanelState = { rows: await loadDetails(this.#host), at: 0, open: undefined };
    if (!this.#editor.isTerminal || file !== undefined) return panelText(state.rows, style);
    let login: string | undefined;
    const update = async (): Promise<void> => {
      state = { ...state, rows: await loadDetails(this.#host) };
      this.#editor.refreshPanel();
    };
    const stops = (['mcp.status.changed', 'mcp.tools.changed'] as const).map((name) =>
      this.#host.on(name, () => void update()),
    );
    await this.#editor.showPanel({
      lines: (size) => panelLines(state, style, size),
      onKey: (key) => {
        const move = movePanel(state, key);
        if (move.kind === 'login') login = move.server;
        if (move.kind === 'leave' || move.kind === 'login') return 'over';
        if (move.kind === 'show') state = move.state;
        else void this.#toggle(move.server, move.on, signal).then(update);
        this.#editor.refreshPanel();
        return 'more';
      },
    });
    for (const stop of stops) stop();
    if (login === undefined) return undefined;
    return this.#runCommand({ kind: 'command', words: ['auth', login], edits: false }, undefined, signal);
  }

  async #toggle(server: string, on: boolean, signal: AbortSignal): Promise<void> {
    const person = { ...personAt(this.#editor), out: () => undefined };
    await this.#parts.run([on ? 'enable' : 'disable', server], { host: this.#host, person, signal });
    await this.#host.reload();
    if (on) void this.#host.connect(server);
  }

  #prompt(): string {
    const states = Object.values(this.#host.status()).filter(({ status }) => status !== 'disabled');
    const connected = states.filter(({ status }) => status === 'connected').length;
    return `holt ${connected}/${states.length} connected> `;
  }
}
