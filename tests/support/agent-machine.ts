/** A machine made of a few files in memory, so that any system's rules can be tried on any other. */

import fs from 'node:fs';
import nodePath from 'node:path';

import type { AgentFormat } from '../../src/agents/agent-format.ts';
import { discover, type Discovery } from '../../src/discovery/discover.ts';
import type { Machine, OperatingSystem } from '../../src/kernel/machine.ts';
import type { ServerDefinition } from '../../src/kernel/servers.ts';
import type { Files } from '../../src/platform/files/files.ts';
import { describeMachine } from '../../src/platform/machine-facts.ts';

export interface AgentCase {
  readonly os?: OperatingSystem;
  readonly env?: Readonly<Record<string, string>>;
  /** Below the project's root; the root itself when left out. */
  readonly cwd?: string;
  readonly inRepository?: boolean;
  /** The main checkout, when the project is a linked worktree of it. */
  readonly mainCheckout?: string;
  /** Instead of the usual project; the home folder makes a machine without a project. */
  readonly projectRoot?: string;
  /** `~/…` is the home folder, `./…` the project's root, everything else an absolute path. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
}

const homes = { linux: '/home/ada', macos: '/Users/ada', windows: 'C:\\Users\\Ada' } as const;
const projects = { linux: '/srv/shop', macos: '/Users/ada/src/shop', windows: 'D:\\src\\shop' } as const;

export function makeMachine(agentCase: Partial<AgentCase> = {}): Machine {
  const { os = 'linux', env = {}, cwd, inRepository = true } = agentCase;
  const path = os === 'windows' ? nodePath.win32 : nodePath.posix;
  const projectRoot = agentCase.projectRoot ?? projects[os];
  return describeMachine({
    os,
    path,
    env,
    homeDir: homes[os],
    cwd: cwd === undefined ? projectRoot : path.join(projectRoot, cwd),
    projectRoot,
    mainCheckout: agentCase.mainCheckout ?? projectRoot,
    inRepository,
  });
}

export function memoryFiles(machine: Machine, files: AgentCase['files']): Files {
  const { path } = machine;
  const place = (name: string): string => {
    if (name.startsWith('~/')) return path.join(machine.homeDir, name.slice(2));
    return name.startsWith('./') ? path.join(machine.projectRoot, name.slice(2)) : name;
  };
  const contents = new Map(Object.entries(files).map(([name, content]) => [place(name), content]));
  return {
    load: (wanted) => {
      const content = contents.get(wanted);
      if (content === undefined) return { kind: 'missing' };
      const bytes = typeof content === 'string' ? Buffer.from(content) : content;
      return { kind: 'file', bytes, realPath: wanted, facts: { uid: 0, gid: 0, mode: 0o644 } };
    },
    list: (folder) =>
      [
        ...new Set(
          [...contents.keys()]
            .filter((name) => name.startsWith(folder + path.sep))
            .map((name) => name.slice(folder.length + 1).split(path.sep)[0] ?? ''),
        ),
      ].toSorted(),
    exists: (wanted) => contents.has(wanted),
  };
}

/** What one agent makes of these files: its definitions best first, and the problems. */
export async function readAgent(
  format: AgentFormat,
  agentCase: AgentCase,
): Promise<Discovery & { readonly definitions: readonly ServerDefinition[] }> {
  const machine = makeMachine(agentCase);
  const files = memoryFiles(machine, agentCase.files);
  const found = await discover([format], { machine, files, identity: { uid: 0, gid: 0 } });
  const definitions = found.agents
    .flatMap((agent) => agent.definitions)
    .map(({ offBy: _triedElsewhere, ...rest }) => rest);
  return { ...found, definitions };
}

/** The text of a golden file: `cursor/good.json`. */
export function fixture(name: string): string {
  return fs.readFileSync(new URL(`../fixtures/agents/${name}`, import.meta.url), 'utf8');
}

/** What a definition says and where it stands; `parts` and `alsoIn` are discovery's own. */
export function said({
  definitions,
}: {
  readonly definitions: readonly ServerDefinition[];
}): readonly object[] {
  return definitions.map((definition) =>
    Object.fromEntries(Object.entries(definition).filter(([key]) => key !== 'parts' && key !== 'alsoIn')),
  );
}
