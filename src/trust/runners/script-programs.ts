/**
 * Whether a script runs programs that holt does not recognise. The result only decides whether to add a note.
 */

import { programName } from '../package-runners.ts';

/**
 * Programs whose code is the file they are given, recognised runners, and shell words that run nothing else.
 */
const plainPrograms = new Set(
  (
    'node nodejs deno bun tsx ts-node ts-node-esm nodemon python python3 pypy pypy3 py ruby perl php lua java sh bash zsh dash ' +
    'cd echo export exec env cross-env set unset true false : exit sleep test [ wait rm mkdir cp mv touch cat printf nice timeout ' +
    'npm npx yarn pnpm bunx pnpx npm-run-all run-s run-p make gmake just docker docker-compose podman uv uvx cargo go dotnet ' +
    'if then else fi do done while for'
  ).split(' '),
);

export function callsOtherPrograms(script: string): boolean {
  return script.split(/&&|\|\||[;|&\n]/).some((command) => {
    const words = command.split(/[\s"'()]+/).filter((word) => word !== '');
    const program = words.find((word) => !/^\w+=/.test(word));
    // A program with a path is a file that the script names.
    return program !== undefined && !/[\\/]/.test(program) && !isPlain(program);
  });
}

function isPlain(program: string): boolean {
  return plainPrograms.has(programName(program)) || /^python[\d.]+$/.test(program);
}
