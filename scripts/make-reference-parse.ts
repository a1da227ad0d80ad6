/** Parses declarations as text: enough for the plain interfaces and declarations in the reference. */

export interface Member {
  readonly name: string;
  readonly doc: string;
  readonly type: string;
}

export interface Declaration {
  readonly name: string;
  readonly doc: string;
  readonly text: string;
  readonly isExported: boolean;
}

const openers = '{([';
const closers = '})]';

/** Where the text at `from` comes to one of these characters outside all brackets, comments and strings. */
function findEnd(source: string, from: number, ends: string): number {
  let depth = 0;
  for (let at = from; at < source.length; at += 1) {
    const skipped = skipQuiet(source, at);
    if (skipped > at) {
      at = skipped - 1;
      continue;
    }
    const char = source.charAt(at);
    if (depth === 0 && ends.includes(char)) return at;
    if (openers.includes(char)) depth += 1;
    if (closers.includes(char)) depth -= 1;
  }
  return source.length;
}

/** The end of the comment or string that begins here, if one does. */
function skipQuiet(source: string, at: number): number {
  if (source.startsWith('/*', at)) return source.indexOf('*/', at) + 2;
  if (source.startsWith('//', at)) return source.indexOf('\n', at);
  const quote = source.charAt(at);
  return quote === "'" || quote === '"' || quote === '`' ? source.indexOf(quote, at + 1) + 1 : at;
}

/** A comment without its stars, as one line. */
function plainDoc(comment: string | undefined): string {
  return (comment ?? '')
    .replaceAll(/^\s*\/\*\*|\*\/\s*$/g, '')
    .replaceAll(/^\s*\* ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The members of a braced text: `{ readonly a: string; b?: number }`. */
export function membersOf(braced: string): readonly Member[] {
  const members: Member[] = [];
  let rest = braced.trim().replace(/^\{/, '').replace(/\}$/, '');
  while (rest.trim() !== '') {
    const end = findEnd(rest, 0, ';');
    const [, comment, name, type] =
      /^\s*(\/\*\*[^]*?\*\/)?\s*(?:readonly )?(['\w.-]+\??): ([^]*)$/.exec(rest.slice(0, end)) ?? [];
    if (name === undefined || type === undefined) throw new Error(`not a member: ${rest.slice(0, end)}`);
    members.push({ name: name.replaceAll("'", ''), doc: plainDoc(comment), type: plainType(type) });
    rest = rest.slice(end + 1);
  }
  return members;
}

/** The members of an interface in a source file. */
export function interfaceMembers(source: string, name: string): readonly Member[] {
  const start = source.indexOf(`interface ${name} {`);
  if (start === -1) throw new Error(`there is no interface ${name}`);
  const open = source.indexOf('{', start);
  return membersOf(source.slice(open, findEnd(source, open + 1, '}') + 1));
}

function plainType(type: string): string {
  return type.replaceAll('readonly ', '').replaceAll(/\s+/g, ' ').trim();
}

/** Every declaration of a `.d.ts` file, in its order; overloads are one. */
export function declarationsOf(source: string): readonly Declaration[] {
  const found = new Map<string, Declaration>();
  const heads = /^(export )?(?:declare )?(?:abstract )?(class|interface|type|function|const) (\w+)/gm;
  for (const head of source.matchAll(heads)) {
    const [, exported, kind, name = ''] = head;
    const ends = kind === 'class' || kind === 'interface' ? '}' : ';';
    const open = ends === '}' ? source.indexOf('{', head.index) + 1 : head.index;
    const end = findEnd(source, open, ends) + 1;
    const text = source.slice(head.index, end).replace(/^(export )?(declare )?/, '');
    // The comment of a file is followed by an empty line; it is not about the first declaration in it.
    const before = /(\/\*\*(?:(?!\*\/)[^])*\*\/)\n$/.exec(source.slice(0, head.index))?.[1];
    const known = found.get(name);
    found.set(name, {
      name,
      doc: known?.doc ?? plainDoc(before),
      text: [...(known === undefined ? [] : [known.text]), text.replaceAll('    ', '  ')].join('\n'),
      isExported: exported !== undefined,
    });
  }
  return [...found.values()];
}

/** A name that comes from another file. */
export interface Passed {
  readonly from: string;
  readonly name: string;
  /** The name it has here. */
  readonly as: string;
}

/** `export { a, type B as C } from './x.ts'`, one by one; the same for `import`. */
export function passedIn(source: string, word: 'export' | 'import'): readonly Passed[] {
  const lists = new RegExp(`^${word} (?:type )?\\{([^}]*)\\} from '([^']+)'`, 'gm');
  return [...source.matchAll(lists)].flatMap(([, list = '', from = '']) =>
    namesIn(list).map((passed) => ({ from, ...passed })),
  );
}

/** `export { a, type B as C };`, one by one: declarations of the same file, or imported ones. */
export function localExportsIn(source: string): readonly Omit<Passed, 'from'>[] {
  const lists = [...source.matchAll(/^export (?:type )?\{([^}]*)\};$/gm)];
  return lists.flatMap(([, list = '']) => namesIn(list));
}

function namesIn(list: string): readonly Omit<Passed, 'from'>[] {
  const items = list.split(',').map((item) => item.trim().replace(/^type /, ''));
  return items
    .filter((item) => item !== '')
    .map((item) => {
      const [name = '', as = name] = item.split(' as ');
      return { name, as };
    });
}

/** What a text may name as a type: words with a capital, outside of comments and strings. */
export function typeNamesIn(text: string): readonly string[] {
  const said = text.replaceAll(/\/\*[^]*?\*\/|'[^'\n]*'|"[^"\n]*"/g, ' ');
  return [...new Set([...said.matchAll(/(?<![\w.])[A-Z]\w*/g)].map(([name]) => name))];
}
