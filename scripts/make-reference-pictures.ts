/** Pictures of real terminal sessions: each is run in a pty, answered as a person would, and drawn as an SVG. */

import { spawn } from '@lydell/node-pty';

import { createDemo, type Demo } from './make-reference-demo.ts';
import { steady } from './make-reference-pages.ts';

interface Scene {
  readonly title: string;
  readonly lines: readonly string[];
  /** What is typed when a text appears. */
  readonly answers?: Readonly<Record<string, string>>;
}

const scenes: Readonly<Record<string, Scene>> = {
  'docs/pictures/overview.svg': { title: 'what there is', lines: ['holt', 'holt get notes'] },
  'docs/pictures/trust.svg': {
    title: 'what a project brings waits for you',
    lines: ['holt trust build'],
    answers: { '[y/N': 'y\r' },
  },
  'docs/pictures/call.svg': {
    title: 'connect, look, call',
    lines: [
      'holt status notes',
      'holt tools notes',
      'holt call notes.add a=2 b=3',
      'holt call notes.add a=2',
    ],
    answers: { 'start your servers in it? [y/N]': 'y\r' },
  },
};

const columns = 100;
/** A question that no answer is given to would wait for ever. */
const sessionMs = 60_000;

export async function pictures(read: (name: string) => string): Promise<Readonly<Record<string, string>>> {
  const drawn: Record<string, string> = {};
  for (const [name, scene] of Object.entries(scenes)) {
    const fresh = draw(scene.title, await play(scene));
    drawn[name] = steady(read(name)) === steady(fresh) ? read(name) : fresh;
  }
  return drawn;
}

async function play({ lines, answers = {} }: Scene): Promise<string> {
  await using demo = createDemo();
  let shown = '';
  for (const line of lines) {
    const session = await playLine(line, answers, demo);
    shown += `\u001b[32m$\u001b[39m ${line}\n${session.trimEnd()}\n\n`;
  }
  return demo.readerText(shown.trimEnd());
}

function playLine(line: string, answers: Readonly<Record<string, string>>, demo: Demo): Promise<string> {
  const terminal = spawn('sh', ['-c', line], {
    cols: columns,
    rows: 60,
    cwd: demo.project,
    env: { ...demo.env, TERM: 'xterm' },
  });
  let shown = '';
  const left = new Map(Object.entries(answers));
  terminal.onData((data) => {
    shown += data;
    for (const [question, answer] of left) {
      if (!shown.includes(question)) continue;
      left.delete(question);
      terminal.write(answer);
    }
  });
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => {
      terminal.kill();
      reject(new Error(`"${line}" did not end within ${sessionMs / 1000} s. It showed:\n${shown}`));
    }, sessionMs);
    terminal.onExit(() => {
      clearTimeout(limit);
      resolve(settle(shown));
    });
  });
}

/** What is left to see: a line that was written over shows what came last. */
function settle(shown: string): string {
  return shown
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.split(/\r|\u001b\[2K/).at(-1) ?? '')
    .join('\n')
    .replaceAll(/\u001b\[[?\d;]*[A-Za-ln-z]/g, '');
}

const size = { char: 8.4, line: 19, margin: 16, bar: 34 };
const colours: Readonly<Record<string, string>> = {
  '31': '#ff7b72',
  '32': '#7ee787',
  '33': '#e3b341',
  '36': '#79c0ff',
};

function draw(title: string, text: string): string {
  const lines = text.split('\n').flatMap(wrap);
  const width = Math.round(columns * size.char + 2 * size.margin);
  const height = size.bar + lines.length * size.line + size.margin;
  const rows = lines.map((line, at) => {
    const y = size.bar + (at + 1) * size.line - 5;
    return line === '' ? '' : `<text x="${size.margin}" y="${y}" xml:space="preserve">${spans(line)}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeXml(title)}">`,
    '<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#e6edf3}.b{font-weight:600}.d{fill:#8b949e}</style>',
    '<rect width="100%" height="100%" rx="8" fill="#0d1117"/>',
    ...['#ff5f57', '#febc2e', '#28c840'].map(
      (fill, at) => `<circle cx="${20 + at * 18}" cy="17" r="5.5" fill="${fill}"/>`,
    ),
    ...rows.filter((row) => row !== ''),
    '</svg>',
    '',
  ].join('\n');
}

/** As a terminal does it: at the edge, in the middle of a word. */
function wrap(line: string): readonly string[] {
  const rows = [''];
  let used = 0;
  for (const [token] of line.matchAll(/\u001b\[[\d;]*m|./gu)) {
    const isSign = token.startsWith('\u001b');
    if (!isSign && used === columns) {
      rows.push('');
      used = 0;
    }
    rows[rows.length - 1] += token;
    if (!isSign) used += 1;
  }
  return rows;
}

function spans(line: string): string {
  let open = { bold: false, dim: false, colour: '' };
  return line
    .split(/(\u001b\[[\d;]*m)/)
    .map((part) => {
      const [, codes] = /^\u001b\[([\d;]*)m$/.exec(part) ?? [];
      if (codes === undefined) return part === '' ? '' : span(part, open);
      for (const code of codes.split(';')) open = styled(open, code);
      return '';
    })
    .join('');
}

interface Open {
  readonly bold: boolean;
  readonly dim: boolean;
  readonly colour: string;
}

function styled(open: Open, code: string): Open {
  if (code === '1') return { ...open, bold: true };
  if (code === '2') return { ...open, dim: true };
  if (code === '22') return { ...open, bold: false, dim: false };
  if (code === '39') return { ...open, colour: '' };
  if (code === '0' || code === '') return { bold: false, dim: false, colour: '' };
  return { ...open, colour: colours[code] ?? open.colour };
}

function span(text: string, { bold, dim, colour }: Open): string {
  const names = [...(bold ? ['b'] : []), ...(dim ? ['d'] : [])].join(' ');
  const fill = colour === '' ? '' : ` style="fill:${colour}"`;
  return names === '' && fill === ''
    ? escapeXml(text)
    : `<tspan${names === '' ? '' : ` class="${names}"`}${fill}>${escapeXml(text)}</tspan>`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
