/** Checks server configs before they are written anywhere. */

import { validateServerConfig } from 'holt';

const configs: Readonly<Record<string, unknown>> = {
  files: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/tmp'] },
  weather: { type: 'remote', url: 'https://example.com/mcp' },
  confused: { command: 'x', url: 'https://example.com/mcp' },
};

for (const [name, config] of Object.entries(configs)) {
  const verdict = validateServerConfig(config, name);
  console.log(
    verdict.ok
      ? `${name}: a ${verdict.definition.transport} server`
      : `${name}: ${verdict.errors.join('; ')}`,
  );
}
