/** The naming profiles: the name a tool gets when no other name clashes with it. */

import type { NamingProfile } from '../../settings/settings.ts';

export function plainName(profile: NamingProfile, server: string, tool: string): string {
  switch (profile) {
    case 'double':
      return `mcp__${keepSafe(server)}__${keepSafe(tool)}`;
    case 'single':
      return singleName(server, tool);
    case 'plain':
      return `${keepSafe(server)}_${keepSafe(tool)}`;
    case 'bare':
      return tool;
  }
}

function keepSafe(text: string): string {
  // Fast path: most names are safe, and there may be many thousands.
  if (/^[A-Za-z0-9_-]*$/.test(text)) return text;
  return text.replaceAll(/[^A-Za-z0-9_-]/gu, '_');
}

function singleName(server: string, tool: string): string {
  const owner = lowerWords(server).replace(/_$/, '');
  const own = lowerWords(tool);
  const prefix = `${owner}_`;
  // A tool with the same name as its server keeps it, because otherwise nothing would be left.
  const rest = own.length > prefix.length && own.startsWith(prefix) ? own.slice(prefix.length) : own;
  return `mcp_${owner}_${rest}`.replaceAll(/_+/g, '_');
}

function lowerWords(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z]+/gu, '_');
}
