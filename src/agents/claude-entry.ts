/** How Claude Code spells a server, for its own files and for files that use the same format. */

import { get, type ObjectNode } from '../documents/tree.ts';
import type { ConfigFile, EntryContext, EntryReading } from './agent-format.ts';
import { switchHabits } from './editor-habits.ts';
import { readString } from './fields.ts';
import { reportHabits } from './habits.ts';
import { reportOddValues } from './refused-values.ts';
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
  },
};

const reservedNames = new Set([
  'workspace',
  'claude-in-chrome',
  'computer-use',
  'Claude Preview',
  'Claude Browser',
]);

const habits = switchHabits('Claude Code');

/** Reports what Claude Code skips or ignores in an entry. */
export function reportClaudeHabits(node: ObjectNode, context: EntryContext): void {
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
  reportOddValues(node, context, ['env', 'headers'], 'Claude Code skips this server');
  reportHabits(node, context, habits);
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

/** Stores `headersHelper` as text. The command runs when the server is connected, never while reading. */
export function withHeadersHelper(
  reading: EntryReading | undefined,
  node: ObjectNode,
  context: EntryContext,
): EntryReading | undefined {
  if (reading === undefined || reading.launch.kind === 'stdio') return reading;
  const headersHelper = readString({ node, report: context.report }, 'headersHelper');
  if (headersHelper === undefined) return reading;
  context.report({
    severity: 'info',
    code: 'field-executable',
    at: get(node, 'headersHelper')?.start ?? node.start,
    message: '"headersHelper" is a command that runs when the server is connected',
  });
  return { ...reading, launch: { ...reading.launch, headersHelper } };
}
