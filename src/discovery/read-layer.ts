/** A config file and the layer that its agent's format found in it. */

import type { ConfigFile, Layer } from '../agents/agent-format.ts';

export interface ReadLayer {
  readonly file: ConfigFile;
  readonly layer: Layer;
}
