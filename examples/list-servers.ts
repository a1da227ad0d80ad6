/** Every MCP server on this machine, where it comes from, and what is wrong with the files. Nothing is started. */

import { loadServers } from 'holt';

const { servers, shadowed, problems } = await loadServers();

for (const { name, transport, origin, enabled, trusted } of servers) {
  const state = [enabled ? '' : 'off', trusted ? '' : 'not approved']
    .filter((word) => word !== '')
    .join(', ');
  console.log(
    `${name} (${transport}) from ${origin.agent}, ${origin.file}:${origin.line}${state === '' ? '' : ` — ${state}`}`,
  );
}
console.log(
  `${servers.length} servers, ${shadowed.length} hidden by others of the same name, ${problems.length} problems`,
);
