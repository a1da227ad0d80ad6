/** Names of the tools that holt itself offers to models. No server's tool can have one of these names. */

export const reservedNames: readonly string[] = [
  'list_mcp_resources',
  'read_mcp_resource',
  'mcp_auth',
  'search_tools',
  'describe_tool',
  'call_tool',
];
