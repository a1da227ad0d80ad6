/** What a person should look at twice before they let an entry run. */

import type { Machine } from '../kernel/machine.ts';
import type { ServerDefinition, StdioLaunch } from '../kernel/servers.ts';

export interface TrustWarning {
  readonly kind: 'unpinned-package' | 'shell' | 'loader-variable' | 'outside-project' | 'runs-command' | 'long-argument';
  readonly text: string;
}

const shells = new Set(['sh', 'bash', 'zsh', 'fish', 'dash', 'cmd', 'cmd.exe', 'powershell', 'powershell.exe', 'pwsh']);
const runners = new Set(['npx', 'npx.cmd', 'bunx', 'uvx', 'pipx', 'pnpm', 'yarn']);

/** Variables that make a program run other code than its own. */
const loaderVariable =
  /^(?:NODE_OPTIONS|NODE_PATH|LD_PRELOAD|LD_LIBRARY_PATH|LD_AUDIT|DYLD_.*|PYTHON(?:PATH|STARTUP|HOME)|PERL5(?:OPT|LIB)|RUBY(?:OPT|LIB)|BASH_ENV|ENV|SHELLOPTS|GIT_SSH(?:_COMMAND)?|GIT_EXTERNAL_DIFF|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|BUN_INSTALL|DENO_DIR|npm_config_.*|PIP_.*|UV_.*|PATH|PATHEXT|EDITOR|PAGER)$/i;

export function loaderVariables(definition: ServerDefinition): readonly string[] {
  const { launch } = definition;
  if (launch.kind !== 'stdio') return [];
  return Object.keys({ ...launch.env, ...launch.envFrom }).filter((name) => loaderVariable.test(name));
}

export function trustWarnings(definition: ServerDefinition, machine: Machine): readonly TrustWarning[] {
  const { launch } = definition;
  if (launch.kind !== 'stdio') {
    return launch.headersHelper === undefined ? [] : [{ kind: 'runs-command', text: `runs a command for its headers: ${launch.headersHelper}` }];
  }
  return [
    ...unpinned(launch),
    ...(shells.has(baseName(launch.command)) ? [{ kind: 'shell', text: 'the command is a shell: it runs whatever its arguments say' } as const] : []),
    ...loaderVariables(definition).map((name) => ({ kind: 'loader-variable', text: `${name} makes the program run other code` }) as const),
    ...outside(launch, machine),
  ];
}

function baseName(command: string): string {
  return command.split(/[\\/]/).at(-1)?.toLowerCase() ?? '';
}

/** `npx -y package` without an exact version runs whatever is newest that day. */
function unpinned({ command, args }: StdioLaunch): readonly TrustWarning[] {
  if (!runners.has(baseName(command))) return [];
  const spec = args.find((argument) => !argument.startsWith('-') && !['dlx', 'exec', 'run', 'tool'].includes(argument));
  if (spec === undefined || /(?:.@\d+\.\d+|==\d)/.test(spec)) return [];
  return [{ kind: 'unpinned-package', text: `${spec} has no exact version: what runs can change from day to day` }];
}

function outside({ command, args }: StdioLaunch, machine: Machine): readonly TrustWarning[] {
  return [command, ...args].flatMap((word) => {
    if (!machine.path.isAbsolute(word) && !/^(?:\.\.[\\/]|~[\\/])/.test(word)) return [];
    const relative = machine.path.relative(machine.projectRoot, machine.path.resolve(machine.projectRoot, word));
    if (!relative.startsWith('..') && !machine.path.isAbsolute(relative)) return [];
    return [{ kind: 'outside-project', text: `${word} lies outside the project` }];
  });
}
