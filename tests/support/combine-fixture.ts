/** A made-up agent and its files, combined by the rule under test. */

import path from 'node:path';

import type { AgentFormat, Complaint, ConfigFile, Layer, RawEntry } from '../../src/agents/agent-format.ts';
import { combineLayers } from '../../src/discovery/combine.ts';
import { parseJson } from '../../src/documents/json.ts';
import { createLineIndex, get, type DocNode } from '../../src/documents/tree.ts';
import type { Scope } from '../../src/kernel/servers.ts';
import { describeMachine } from '../../src/platform/machine-facts.ts';

/** One file of a made-up agent: an object with an entry for each server, one to a line. */
export interface Sample {
  readonly scope: Scope;
  readonly guarded?: boolean;
  readonly text: string;
  readonly layer?: Omit<Layer, 'entries'>;
  readonly scopeOf?: (name: string) => Scope | undefined;
}

const text = (node: DocNode | undefined): string | undefined =>
  node?.kind === 'string' ? node.value : undefined;

/** A server has a command; one without is complained about. */
export function formatOf(rule: AgentFormat['combine'], rest: Partial<AgentFormat> = {}): AgentFormat {
  return {
    id: 'cursor',
    label: 'Cursor',
    shape: { dialect: 'none' },
    combine: rule,
    locate: () => [],
    layer: () => ({ entries: [] }),
    read: (node, { report, inputs }) => {
      const command = text(get(node, 'command'));
      if (command === undefined) {
        const at = get(node, 'args')?.start ?? node.start;
        report({ severity: 'error', code: 'entry-invalid', at, message: 'no command' });
        return undefined;
      }
      const cwd = text(get(node, 'cwd'));
      const enabled = get(node, 'enabled');
      return {
        launch: {
          kind: 'stdio',
          command,
          args: [],
          env: {},
          envFrom: {},
          ...(cwd === undefined ? {} : { cwd }),
        },
        enabled: enabled?.kind !== 'boolean' || enabled.value,
        timeouts: {},
        dialect: 'cursor',
        inputs,
      };
    },
    ...rest,
  };
}

const machine = describeMachine({
  os: 'linux',
  path: path.posix,
  env: {},
  homeDir: '/home/ada',
  cwd: '/srv/shop',
  projectRoot: '/srv/shop',
  mainCheckout: '/srv/shop',
  inRepository: true,
});

export function combine(format: AgentFormat, samples: readonly Sample[]) {
  const told: (Omit<Complaint, 'at'> & { readonly file: string; readonly line: number })[] = [];
  const layers = samples.map(({ scope, guarded = false, text: content, layer = {}, scopeOf }, index) => {
    const document = parseJson(content, { bom: false, utf16: false });
    if (!document.ok) throw new Error(document.message);
    const place = `/${index}`;
    const position = createLineIndex(content);
    const file: ConfigFile = {
      location: { path: place, scope, guarded, format: 'json' },
      path: place,
      root: document.root,
      machine,
      position,
      report: ({ at, ...rest }) => told.push({ ...rest, file: place, line: position(at).line }),
    };
    const found = document.root?.kind === 'object' ? document.root.entries : [];
    const entries = found.map(({ key, keyStart, value }): RawEntry => {
      const own = scopeOf?.(key);
      return { name: key, node: value, at: keyStart, ...(own === undefined ? {} : { scope: own }) };
    });
    return { file, layer: { ...layer, entries } };
  });
  const { definitions } = combineLayers(format, layers);
  return {
    definitions,
    told,
    shown: definitions.map(({ name, launch, origin, guarded, enabled }) => [
      name,
      launch.kind === 'stdio' ? [launch.command, launch.cwd ?? ''].join(' ').trim() : '',
      `${origin.scope} ${origin.file}:${origin.line}:${origin.column}`,
      guarded ? 'guarded' : 'open',
      enabled ? 'on' : 'off',
    ]),
  };
}
