/** The library's page: what each entry point of the package exports, and the types that it names. */

import path from 'node:path';

import {
  declarationsOf,
  localExportsIn,
  passedIn,
  typeNamesIn,
  type Declaration,
  type Passed,
} from './make-reference-parse.ts';

/** Where a type is declared: one of holt's files, or a package. */
interface Place {
  readonly file: string;
  readonly name: string;
}

interface Exported extends Place {
  readonly as: string;
}

type Read = (file: string) => string;

/** Longer lists are pages of their own. */
const longestList = 100;

const keyOf = ({ file, name }: Place): string => `${file}#${name}`;
const isOurs = ({ file }: Place): boolean => file.endsWith('.d.ts');

/** The entryPoints of the package, in the order of its `exports`. */
export function librarySections(read: Read): readonly string[] {
  const { exports } = JSON.parse(read('package.json')) as { exports: Record<string, { types?: string }> }; // our own
  const library = new Library(read);
  const entryPoints = Object.entries(exports).flatMap(([entryPoint, { types }]) =>
    types === undefined
      ? []
      : [
          {
            entryPoint: entryPoint.replace(/^\./, 'holt'),
            all: library.exportsOf(types.replace(/^\.\//, '')),
          },
        ],
  );
  for (const { all } of entryPoints) library.publish(all);
  return entryPoints.map(({ entryPoint, all }) => library.section(entryPoint, all));
}

class Library {
  readonly #read: Read;
  readonly #declared = new Map<string, readonly Declaration[]>();
  /** Names under which users get them. */
  readonly #published = new Map<string, string>();
  readonly #shown = new Set<string>();

  constructor(read: Read) {
    this.#read = read;
  }

  exportsOf(file: string): readonly Exported[] {
    const source = this.#read(file);
    const passedOn = passedIn(source, 'export').map((passed) => ({
      ...this.#follow(file, passed),
      as: passed.as,
    }));
    const own = localExportsIn(source).map(({ name, as }) => ({ ...this.#require(file, name), as }));
    const byKeyword = this.#declarations(file).filter(({ isExported }) => isExported);
    return [...passedOn, ...own, ...byKeyword.map(({ name }) => ({ file, name, as: name }))];
  }

  publish(all: readonly Exported[]): void {
    for (const one of all) if (!this.#published.has(keyOf(one))) this.#published.set(keyOf(one), one.as);
  }

  section(entryPoint: string, all: readonly Exported[]): string {
    const foreign = new Map<string, Set<string>>();
    const needed: Place[] = [];
    const show = (place: Place): Declaration => {
      const { declaration, named } = this.#describe(place);
      for (const other of named) {
        if (isOurs(other)) needed.push(other);
        else if (!this.#published.has(keyOf(other)))
          foreign.set(other.file, (foreign.get(other.file) ?? new Set()).add(other.name));
      }
      return declaration;
    };
    const parts = all.flatMap((one) => this.#exportedText(one, show));
    const helpers: string[] = [];
    for (let next = needed.shift(); next !== undefined; next = needed.shift()) {
      if (this.#published.has(keyOf(next)) || this.#shown.has(keyOf(next))) continue;
      const { doc, text } = show(next);
      helpers.push(doc === '' ? text : `/** ${doc} */\n${text}`);
    }
    return [
      `## ${entryPoint}`,
      ...parts,
      ...(helpers.length === 0
        ? []
        : [`### Named above, not exported by \`${entryPoint}\``, codeBlock(helpers.join('\n\n'))]),
      ...[...foreign].map(([from, names]) => foreignText(from, [...names])),
    ].join('\n\n');
  }

  #exportedText(one: Exported, show: (place: Place) => Declaration): readonly string[] {
    if (!isOurs(one)) return [`### ${one.as}\n\nThe type of \`${one.file}\`, passed on.`];
    if (this.#shown.has(keyOf(one))) return [`### ${one.as}\n\nThe same as above.`];
    const { doc, text } = show(one);
    return [[`### ${one.as}`, ...(doc === '' ? [] : [doc]), codeBlock(text)].join('\n\n')];
  }

  /** A declaration with the names that users know, and what it names. */
  #describe(place: Place): { readonly declaration: Declaration; readonly named: readonly Place[] } {
    this.#shown.add(keyOf(place));
    const declared = this.#declarations(place.file);
    const here = declared.find(({ name }) => name === place.name);
    if (here === undefined) throw new Error(`${place.file} does not declare ${place.name}`);
    const whole = this.#withParts(place.file, this.#withList(place.file, here), declared);
    const named: Place[] = [];
    let { text } = whole;
    for (const name of typeNamesIn(text)) {
      const found = this.#find(place.file, name);
      if (found === undefined) continue;
      named.push(found);
      const known = this.#published.get(keyOf(found)) ?? found.name;
      if (known !== name) text = text.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), known);
    }
    return { declaration: { ...whole, text }, named };
  }

  /** A type made from a list says little without the list. */
  #withList(file: string, declaration: Declaration): Declaration {
    const [, list] = /typeof (\w+)/.exec(declaration.text) ?? [];
    const found = this.#declarations(file).find(({ name }) => name === list);
    if (found === undefined || found.text.split('\n').length > longestList) return declaration;
    const key = keyOf({ file, name: found.name });
    if (this.#shown.has(key)) return declaration;
    this.#shown.add(key);
    return { ...declaration, text: `${found.text}\n${declaration.text}` };
  }

  /** One that only joins others says nothing without them. */
  #withParts(file: string, declaration: Declaration, declared: readonly Declaration[]): Declaration {
    const [, joined = ''] = /^interface \w+ extends ([^{]+)\{\s*\}$/.exec(declaration.text) ?? [];
    const names = joined.split(',').map((name) => name.trim());
    const parts = declared.filter(({ name }) => names.includes(name));
    for (const { name } of parts) this.#shown.add(keyOf({ file, name }));
    return { ...declaration, text: [declaration.text, ...parts.map(({ text }) => text)].join('\n\n') };
  }

  #declarations(file: string): readonly Declaration[] {
    const known = this.#declared.get(file) ?? declarationsOf(this.#read(file));
    this.#declared.set(file, known);
    return known;
  }

  /** Undefined for what every program knows, and for a type's own parameters. */
  #find(file: string, name: string): Place | undefined {
    if (this.#declarations(file).some((one) => one.name === name)) return { file, name };
    const source = this.#read(file);
    const passed = [...passedIn(source, 'import'), ...passedIn(source, 'export')].find(
      ({ as }) => as === name,
    );
    return passed === undefined ? undefined : this.#follow(file, passed);
  }

  /** Through all files that only pass it on. */
  #follow(file: string, { from, name }: Passed): Place {
    if (!from.startsWith('.')) return { file: from, name };
    const next = path.posix.join(path.posix.dirname(file), from).replace(/\.js$/, '.d.ts');
    // The files that entry points share export under short names.
    const local = localExportsIn(this.#read(next)).find(({ as }) => as === name)?.name ?? name;
    return this.#require(next, local);
  }

  #require(file: string, name: string): Place {
    const found = this.#find(file, name);
    if (found === undefined) throw new Error(`${file} does not declare ${name}`);
    return found;
  }
}

function codeBlock(text: string): string {
  return ['```typescript', text, '```'].join('\n');
}

function foreignText(from: string, names: readonly string[]): string {
  const list = names.map((name) => `\`${name}\``).join(', ');
  return `Of \`${from}\`, which comes with holt: ${list}.`;
}
