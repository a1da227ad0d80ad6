/** Starts one of the fixture servers on HTTP and gives its URL; it ends with the test. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface RemoteFixture extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** What the server has seen so far. */
  facts<Facts = Record<string, unknown>>(): Promise<Facts>;
  /** As a crash would. */
  kill(): Promise<void>;
}

const folder = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), 'fixtures', 'servers');

export async function startFixture(name: string, ...args: readonly string[]): Promise<RemoteFixture> {
  const child = spawn(process.execPath, [path.join(folder, `${name}.mjs`), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = readline.createInterface({ input: child.stdout });
  const [line] = (await once(lines, 'line')) as [string]; // readline gives texts
  const { url, facts } = JSON.parse(line) as { readonly url: string; readonly facts: string }; // as serve-http prints it
  const gone = once(child, 'exit');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await gone;
  };
  return {
    url,
    port: Number(new URL(url).port),
    facts: async <Facts>() => (await (await fetch(facts)).json()) as Facts, // the test knows its fixture
    kill,
    [Symbol.asyncDispose]: kill,
  };
}
