/** The same edits where the home is a small disk that fills up repeatedly. Needs a mount that only its processes see. */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import path from 'node:path';

import type { WorkloadContext, ContextOptions } from '../workload-context.ts';

export interface EpisodeTask extends Omit<ContextOptions, 'stopped'> {
  readonly home: string;
}

export async function runSmallDisk(
  context: WorkloadContext,
  { stopped, ...options }: ContextOptions,
): Promise<void> {
  const home = path.join(context.folder, 'home');
  mkdirSync(home);
  const mounting = 'mount -t tmpfs -o size=256k tmpfs "$0" && exec "$@"';
  const unshare = ['--mount', ...(process.getuid?.() === 0 ? [] : ['--map-root-user'])];
  const args = [...unshare, 'sh', '-c', mounting, home];
  if (spawnSync('unshare', [...args, 'true'], { stdio: 'ignore' }).status !== 0)
    return context.note('skipped', { what: 'edits on a full disk: no disk can be mounted here' });
  const program = path.join(import.meta.dirname, '..', 'small-disk-episode.ts');
  const task: EpisodeTask = { ...options, home };
  const command = [process.execPath, '--import', import.meta.resolve('tsx'), program, JSON.stringify(task)];
  const child = spawn('unshare', [...args, ...command], { stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  stopped?.addEventListener('abort', () => child.kill());
  const [code] = (await once(child, 'close')) as [number | null]; // a number, or null after a signal
  if (code !== 0)
    context.note('wrong', { what: `the edits on a full disk ended with ${code}: ${stderr.slice(-1500)}` });
}
