/** A home in a temporary folder, to measure in. */

import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

export interface TemporaryHome {
  readonly path: string;
  write(file: string, content: string): Promise<void>;
  remove(): Promise<void>;
}

export async function createTemporaryHome(): Promise<TemporaryHome> {
  const home = await fs.mkdtemp(path.join(os.tmpdir(), 'holt-bench-'));
  return {
    path: home,
    write: async (file, content) => {
      const target = path.join(home, file);
      await fs.mkdir(path.dirname(target), { recursive: true });
      await fs.writeFile(target, content);
    },
    remove: () => fs.rm(home, { recursive: true, force: true }),
  };
}
