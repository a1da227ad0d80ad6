/**
 * Uses a stored login again and again. `argv[2]` is JSON: `home`, `url`, `history`, `owner`; `mode` `login` logs in and ends,
 * `stall` says `saving` in place of saving a renewed login, and goes no further. Ends with 3 when it takes a person.
 */
import { setTimeout as pause } from 'node:timers/promises';

import { openHost } from '../../../dist/index.js';
import { readMachine } from '../../../src/platform/machine-facts.ts';
import { createCredentialFile } from '../../../src/secrets/credential-file.ts';
import { followInput, openNotes } from './notes.mjs';

const { home, url, history, owner, mode } = JSON.parse(process.argv[2]);
const note = openNotes(history, owner);
const isOver = followInput(note, owner);
const file = createCredentialFile(readMachine({ home, cwd: home }));
const stalling = { ...file, set: () => new Promise(() => process.stdout.write('saving\n')) };
const host = await openHost({
  home,
  cwd: home,
  env: { HOME: home },
  servers: { odd: { type: 'http', url } },
  policy: { default: 'allow' },
  stores: { credentials: mode === 'stall' ? stalling : file },
  interaction: {
    openUrl: async (page) => {
      const { headers } = await fetch(page, { redirect: 'manual' });
      await fetch(headers.get('location') ?? '');
      return true;
    },
  },
});
host.on('mcp.phase', ({ server, from, to }) => note('phase', { owner, server, from, to }));
let needsLogin = false;
if (mode === 'login') await logIn();
else await use();
await host.close();
process.exitCode = needsLogin ? 3 : 0;
process.stdin.destroy();

async function logIn() {
  for (let tries = 0; tries < 20; tries += 1) {
    const { status } = await host.authenticate('odd').catch((error) => ({ status: String(error) }));
    if (status === 'connected') return;
    await pause(100);
  }
  note('wrong', { what: `${owner} could not log in` });
}

async function use() {
  while (!isOver() && !needsLogin) {
    const result = await host.call('mcp__odd__whoami', {}, { timeoutMs: 3000 }).catch((error) => ({ error }));
    needsLogin = result.error?.code === 'needs-auth' || host.status().odd?.status === 'needs_auth';
    if (host.status().odd?.status === 'failed') await host.connect('odd');
    await pause(20);
  }
}
