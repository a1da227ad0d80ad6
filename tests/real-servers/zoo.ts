/** Real servers from npm, and every way each of them can be reached. All start without a network and without an account. */

import path from 'node:path';

import { packageRoot } from '../support/holt-command.ts';

export interface ZooServer {
  readonly name: string;
  /** Which of the two it answers. */
  readonly era: 'stateful' | 'stateless';
  /** Its own program, inside the zoo's node_modules. */
  readonly program: string;
  readonly stdio: readonly string[];
  readonly remote: readonly ZooRemote[];
}

export interface ZooRemote {
  readonly transport: 'http' | 'sse';
  readonly path: string;
  /** How to make it listen on a port. */
  readonly listen: (port: number) => {
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
  /** What it prints once it listens. */
  readonly ready: RegExp;
}

const byVariable =
  (...args: readonly string[]): ZooRemote['listen'] =>
  (port) => ({ args, env: { PORT: String(port) } });
const byOption =
  (...args: readonly string[]): ZooRemote['listen'] =>
  (port) => ({ args: [...args, '--port', String(port)], env: {} });

export const zoo: readonly ZooServer[] = [
  {
    name: 'everything',
    era: 'stateful',
    program: '@modelcontextprotocol/server-everything/dist/index.js',
    stdio: ['stdio'],
    remote: [
      { transport: 'http', path: '/mcp', listen: byVariable('streamableHttp'), ready: /listening on port/ },
      { transport: 'sse', path: '/sse', listen: byVariable('sse'), ready: /running on port/ },
    ],
  },
  {
    name: 'filesystem',
    era: 'stateful',
    program: '@modelcontextprotocol/server-filesystem/dist/index.js',
    stdio: ['{folder}'],
    remote: [],
  },
  {
    name: 'memory',
    era: 'stateful',
    program: '@modelcontextprotocol/server-memory/dist/index.js',
    stdio: [],
    remote: [],
  },
  {
    name: 'sequential-thinking',
    era: 'stateful',
    program: '@modelcontextprotocol/server-sequential-thinking/dist/index.js',
    stdio: [],
    remote: [],
  },
  // Built on the first SDK there was: it answers 2024-11-05.
  {
    name: 'github',
    era: 'stateful',
    program: '@modelcontextprotocol/server-github/dist/index.js',
    stdio: [],
    remote: [],
  },
  {
    name: 'basic-vanillajs',
    era: 'stateful',
    program: '@modelcontextprotocol/server-basic-vanillajs/dist/index.js',
    stdio: ['--stdio'],
    remote: [{ transport: 'http', path: '/mcp', listen: byVariable(), ready: /listening on/ }],
  },
  {
    name: 'playwright',
    era: 'stateful',
    program: '@playwright/mcp/cli.js',
    stdio: ['--headless'],
    remote: [
      { transport: 'http', path: '/mcp', listen: byOption('--headless'), ready: /Listening on/ },
      { transport: 'sse', path: '/sse', listen: byOption('--headless'), ready: /Listening on/ },
    ],
  },
  // The one that keeps no sessions: it answers 2026-07-28.
  {
    name: 'context7',
    era: 'stateless',
    program: '@upstash/context7-mcp/dist/index.js',
    stdio: [],
    remote: [
      { transport: 'http', path: '/mcp', listen: byOption('--transport', 'http'), ready: /running on HTTP/ },
    ],
  },
];

export function programPath(program: string): string {
  return path.join(packageRoot, 'tools', 'zoo', 'node_modules', ...program.split('/'));
}
