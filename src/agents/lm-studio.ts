/** LM Studio: `~/.lmstudio/mcp.json` in Cursor's format, without types, switches and placeholders. */

import { agentOf } from './agent-row.ts';

export const lmStudio = agentOf({
  id: 'lm-studio',
  label: 'LM Studio',
  user: ['.cache/lm-studio/mcp.json', '.lmstudio/mcp.json'],
  switch: 'elsewhere',
});
