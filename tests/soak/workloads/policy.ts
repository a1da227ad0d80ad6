/** A host whose rules and whose servers’ tools change while it calls them; servers and hosts are killed. */

import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import {
  outlive,
  scan,
  sendSignal,
  startOwner,
  whileOn,
  type Owner,
  type WorkloadContext,
} from '../workload-context.ts';
import { programEntry } from './entries.ts';

const tools = ['read', 'write', 'drop', 'announce'];

export async function runPolicy(context: WorkloadContext): Promise<void> {
  const { folder, note, random } = context;
  const home = path.join(folder, 'home');
  mkdirSync(home);
  const servers: Record<string, object> = {};
  const versions: Record<string, string> = {};
  for (const server of ['rules-1', 'rules-2']) {
    const file = path.join(folder, `${server}.version`);
    writeFileSync(file, '1');
    versions[server] = file;
    servers[server] = programEntry(context, server, { tools, canaries: [], versions: file });
    for (const tool of tools) {
      const digest = createHash('sha256').update(`${tool} 1`).digest('hex').slice(0, 12);
      note('approve', { owner: context.name, server, tool, digest });
    }
  }
  let current: Owner | undefined;
  let started = 0;
  const live = async (): Promise<void> => {
    while (!context.isOver()) {
      const host = startOwner(context, 'soak-policy', `policy-${(started += 1)}`, {
        home,
        servers,
        versions,
        callers: 8,
      });
      current = host;
      await outlive(context, host, random.between(4000, 15_000), false);
      if (random.chance(0.5) && !context.isOver()) {
        note('fault', { fault: 'kill host', target: host.owner });
        sendSignal(host.child.pid, 'SIGKILL');
      } else host.stop();
      await host.ended;
    }
  };
  await Promise.all([
    live(),
    whileOn(context, [1500, 4000], async () => {
      const victim = random.pick(scan().filter(({ owner }) => owner === current?.owner));
      if (victim === undefined) return;
      note('fault', { fault: 'kill server', target: victim.server });
      sendSignal(victim.pid, 'SIGKILL');
    }),
  ]);
}
