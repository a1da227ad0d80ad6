/** One row of the zoo: a real server from npm, every transport it offers, and a harmless call. */

import path from 'node:path';

import { packageRoot } from '../support/holt-command.ts';

export interface ZooServer {
  readonly package: string;
  /** Its own program, inside the package. */
  readonly program: string;
  /** Which of the two it answers. */
  readonly era: 'stateful' | 'stateless';
  /** `{folder}` stands for a folder of its own, here and in all that follows. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly remote: readonly ZooRemote[];
  /** None where every tool asks a service whose address cannot be set. */
  readonly call?: ZooCall;
}

export interface ZooCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** `alike`: a time or a random part is in the answer, so only its kind can be compared. */
  readonly answer: 'same' | 'alike';
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
  /** It answers 500 to the question for its protocol: the SDK's client has to be told, holt finds out by greeting it. */
  readonly failsAtQuestion?: boolean;
}

/** Where nobody listens: what is asked there is refused at once, in the same words each time. */
export const nobody = 'http://127.0.0.1:9';

/** For servers that want a key before they start. */
export const dummyKey = 'holt-zoo-has-no-account';

type Row = Pick<ZooServer, 'package' | 'program'> & Partial<ZooServer>;

export function server(row: Row): ZooServer {
  return { era: 'stateful', args: [], env: {}, remote: [], ...row };
}

export function http(listen: ZooRemote['listen'], ready: RegExp): ZooRemote {
  return { transport: 'http', path: '/mcp', listen, ready };
}

export function sse(listen: ZooRemote['listen'], ready: RegExp): ZooRemote {
  return { transport: 'sse', path: '/sse', listen, ready };
}

export function byVariable(...args: readonly string[]): ZooRemote['listen'] {
  return (port) => ({ args, env: { PORT: String(port) } });
}

export function byOption(...args: readonly string[]): ZooRemote['listen'] {
  return (port) => ({ args: [...args, '--port', String(port)], env: {} });
}

export function same(tool: string, args: ZooCall['args'] = {}): ZooCall {
  return { tool, args, answer: 'same' };
}

export function alike(tool: string, args: ZooCall['args'] = {}): ZooCall {
  return { tool, args, answer: 'alike' };
}

export function programPath({ package: name, program }: ZooServer): string {
  return path.join(packageRoot, 'tools', 'zoo', 'node_modules', ...name.split('/'), ...program.split('/'));
}
