/**
 * opencode: all places that it reads, merged field by field.
 * `.opencode/config.json` is not its own (see chimera-otter.ts).
 */

import type { AgentFormat } from './agent-format.ts';
import { acceptsEntry, readEntry, type Family } from './opencode-family.ts';
import { familyLayer } from './opencode-layer.ts';
import { familyFiles, type FamilyNames } from './opencode-places.ts';

const family: Family = { label: 'opencode', env: ['environment'] };

const files = ['opencode.json', 'opencode.jsonc'];

const names: FamilyNames = {
  variables: 'OPENCODE',
  folder: 'opencode',
  userFiles: ['config.json', ...files],
  projectFiles: files,
  dotFolders: ['.opencode'],
  dotFiles: files,
};

export const opencode: AgentFormat = {
  id: 'opencode',
  label: 'opencode',
  combine: 'fields',
  locate: (machine) => familyFiles(machine, names),
  layer: (file) => familyLayer(file, family.label),
  accepts: (node, context) => acceptsEntry(node, context, family),
  read: (node, context) => readEntry(node, context, family),
};
