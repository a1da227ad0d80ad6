/** Recognises command lines that fetch a package and run it, and finds the packages they name. */

/** The words that precede the package; an empty list for programs that only run packages. */
const runners: Readonly<Record<string, readonly (readonly string[])[]>> = {
  npx: [[]],
  bunx: [[]],
  uvx: [[]],
  pnpx: [[]],
  pipx: [['run']],
  pnpm: [['dlx']],
  yarn: [['dlx']],
  npm: [['exec'], ['x']],
  bun: [['x']],
  uv: [['tool', 'run']],
};

/** Options that take a package as their value, and others that take some other value. */
const packageOptions = new Set(['-p', '--package', '--from', '--with', '--spec']);
const otherOptions = new Set(
  '-c --call -w --workspace --registry --index --index-url --python --prefix --cache --userconfig'.split(' '),
);

export function isPackageRunner(command: string, args: readonly string[]): boolean {
  return restAfterRunner(command, args) !== undefined;
}

/** Returns the packages that would be fetched, as written. */
export function fetchedPackages(command: string, args: readonly string[]): readonly string[] {
  const rest = restAfterRunner(command, args);
  if (rest === undefined) return [];
  const named: string[] = [];
  let isFirstTheirs = false;
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at] ?? '';
    if (!word.startsWith('-')) return isFirstTheirs ? named : [word, ...named];
    const [option, attached] = splitOption(word);
    const takesValue = packageOptions.has(option) || otherOptions.has(option);
    const value = takesValue && attached === undefined ? rest[(at += 1)] : attached;
    if (!packageOptions.has(option) || value === undefined) continue;
    named.push(value);
    // Except after --with, the first plain word is a program of the package that the option names.
    isFirstTheirs ||= option !== '--with';
  }
  return named;
}

function splitOption(word: string): readonly [string, string | undefined] {
  const equals = word.indexOf('=');
  return equals === -1 ? [word, undefined] : [word.slice(0, equals), word.slice(equals + 1)];
}

function restAfterRunner(command: string, args: readonly string[]): readonly string[] | undefined {
  const name = programName(command);
  const verbs = Object.entries(runners).find(([runner]) => runner === name)?.[1];
  const found = verbs?.find((words) => words.every((word, index) => args[index] === word));
  return found === undefined ? undefined : args.slice(found.length);
}

/** Returns a program's base name in lower case: `C:\tools\NPX.cmd` is npx. */
export function programName(command: string): string {
  return (command.split(/[\\/]/).at(-1) ?? '').toLowerCase().replace(/\.(?:cmd|exe|bat|ps1)$/, '');
}

/** True for an exact version or a fixed commit of a repository: the same code runs tomorrow as today. */
export function isPinned(packageName: string): boolean {
  return /.@v?\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$|===?\d[\w.!+-]*$|[#@][0-9a-f]{40}$/.test(packageName);
}
