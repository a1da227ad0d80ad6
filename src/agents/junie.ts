/** Junie: `.junie/mcp/mcp.json` of the user and of the project, shared by its plugin and its command line. */

import { agentOf } from './agent-row.ts';

export const junie = agentOf({
  id: 'junie',
  label: 'Junie',
  user: ['.junie/mcp/mcp.json'],
  project: ['.junie/mcp/mcp.json'],
  switch: 'elsewhere',
});
