/** A file and what it said. */

import type { ConfigFile, Layer } from '../agents/agent-format.ts';

export interface ReadLayer {
  readonly file: ConfigFile;
  readonly layer: Layer;
}
