/**
 * Visual Studio: `.vs/mcp.json` beside the solution, in VS Code's format. Its other files are read elsewhere:
 * `.mcp.json` is shared, `.vscode/mcp.json` is VS Code's and `.cursor/mcp.json` is Cursor's.
 */

import type { AgentFormat } from './agent-format.ts';
import { projectFile } from './places.ts';
import { readEditorEntry, serversLayer, vscodeShape } from './vscode.ts';

export const visualStudio: AgentFormat = {
  id: 'visual-studio',
  label: 'Visual Studio',
  shape: vscodeShape,
  combine: 'whole',
  locate: (machine) => [
    projectFile(machine, ['.vs', 'mcp.json'], { refuses: { comments: true, trailingCommas: true } }),
  ],
  layer: (file) => serversLayer(file, 'Visual Studio'),
  read: (node, context) => readEditorEntry(node, context, 'Visual Studio'),
};
