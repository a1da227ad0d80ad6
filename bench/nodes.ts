/** The Nodes that commands are measured on: the one that runs the bench, and a newer one from a side folder. */

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const side = path.join(import.meta.dirname, '..', 'tools', 'conformance');

export interface MeasuredNode {
  /** As it appears in the names of rows: `Node 24`. */
  readonly label: string;
  readonly program: string;
}

/** Installs the side folder if necessary. Where no newer Node is packaged for this machine, only its own is measured. */
export function measuredNodes(): readonly MeasuredNode[] {
  const own = nodeAt(process.execPath);
  const newer = path.join(side, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  const install = "await (await import('./install.mjs')).installSideFolder(process.argv[1])";
  spawnSync(process.execPath, ['--input-type=module', '-e', install, side], {
    cwd: path.dirname(side),
    stdio: 'inherit',
  });
  return fs.existsSync(newer) ? [own, nodeAt(newer)] : [own];
}

function nodeAt(program: string): MeasuredNode {
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return { label: `Node ${stdout.trim().slice(1).split('.', 1)[0]}`, program };
}
