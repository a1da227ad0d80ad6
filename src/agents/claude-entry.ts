/** How Claude Code spells a server, for its own files and for files that use the same format. */

import { get, type DocNode, type ObjectNode } from '../documents/tree.ts';
import type { ConfigFile, EntryContainer, EntryContext, WriteTarget } from './agent-format.ts';
import { sniffedMapAt } from './create-writer.ts';
import { reportFieldWarnings, reportNonStrings, switchWarnings } from './field-warnings.ts';
import { commonTypes, type ServerShape } from './server-shape.ts';

export const claudeShape: ServerShape = {
  dialect: 'claude',
  urls: [{ key: 'url', untyped: { refusedAs: 'skips a URL without "type"' } }],
  typeNames: { ...commonTypes, ws: 'ws' },
  both: 'type-decides',
  // Claude Code ignores values below one second.
  timeouts: [{ key: 'timeout', unit: 'ms', means: 'idle', least: 1000 }],
  oauth: {
    key: 'oauth',
    clientId: 'clientId',
    callbackPort: 'callbackPort',
    metadataUrl: 'authServerMetadataUrl',
    scopes: 'scopes',
    scopesAs: 'text',
  },
  headersHelper: 'headersHelper',
  writes: { types: { stdio: null, http: 'http', sse: 'sse', ws: 'ws' }, noCwd: true },
};

const reservedNames = new Set([
  'workspace',
  'claude-in-chrome',
  'computer-use',
  'Claude Preview',
  'Claude Browser',
]);

const warnings = switchWarnings('Claude Code');

/** Reports what Claude Code skips or ignores in an entry. */
export function reportClaudeRules(node: ObjectNode, context: EntryContext): void {
  const refuse = (at: number, message: string, remedy: string): void =>
    context.report({ severity: 'warning', code: 'agent-refuses', at, message, remedy });
  if (reservedNames.has(context.entry.name)) {
    refuse(
      context.entry.at,
      `Claude Code skips the reserved name "${context.entry.name}"`,
      'Give it another name.',
    );
  }
  const timeout = get(node, 'timeout');
  if (timeout?.kind === 'string') {
    refuse(timeout.start, 'Claude Code skips this server: "timeout" is not a number', 'Remove the quotes.');
  }
  reportNonStrings(node, context, ['env', 'headers'], 'Claude Code skips this server');
  reportFieldWarnings(node, context, warnings);
}

/** Keys with which a committed file would approve its own servers. holt ignores them. */
const approvals = ['enableAllProjectMcpServers', 'enabledMcpjsonServers'];

export function reportSelfApproval(file: ConfigFile): void {
  for (const key of file.location.guarded ? approvals : []) {
    const node = get(file.root, key);
    if (node === undefined || (node.kind === 'boolean' && !node.value)) continue;
    const message = `"${key}" in a project file does not count`;
    file.report({ severity: 'warning', code: 'self-approval', at: node.start, message });
  }
}

/**
 * The shared `.mcp.json`. With `strictFor`, the name of an agent, only in the shape that the agent accepts.
 */
export function sharedTarget(file: string, shape: ServerShape, strictFor?: string): WriteTarget {
  return {
    file,
    format: 'json',
    readAs: 'mcp-json',
    container: (root) => sharedContainer(root, strictFor),
    shapeAt: () => shape,
  };
}

/** Claude Code accepts only one of the possible shapes. */
function sharedContainer(root: DocNode | undefined, strictFor: string | undefined): EntryContainer {
  const container = sniffedMapAt([['mcpServers'], ['servers'], ['mcp_servers']])(root);
  const isOwn = container.paths.some(([key]) => key === 'mcpServers');
  if (strictFor === undefined || isOwn) return container;
  const refusal = `it keeps servers in a way that ${strictFor} does not read: it takes only "mcpServers"`;
  return { ...container, refusal };
}
