/** Runs in a mount namespace where only this process and its children see the small home: see workloads/small-disk.ts. */

import { openContext } from './workload-context.ts';
import { runEdits } from './workloads/edits.ts';
import type { EpisodeTask } from './workloads/small-disk.ts';

const { home, ...options }: EpisodeTask = JSON.parse(process.argv[2] ?? '');
const context = openContext({ ...options, name: `${options.name}-episode` });
await runEdits({ context, home, file: 'the file on a small disk', isSmall: true });
