/** The naming profiles: what a tool would be called if it were alone. */

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
  // Most names are safe, and there may be many thousands.
  if (/^[A-Za-z0-9_-]*$/.test(text)) return text;
  return text.replaceAll(/[^A-Za-z0-9_-]/gu, '_');
}

function singleName(server: string, tool: string): string {
  const owner = lowerWords(server).replace(/_$/, '');
  const own = lowerWords(tool);
  const prefix = `${owner}_`;
  // A tool called just like its server keeps its name, or nothing would be left of it.
  const rest = own.length > prefix.length && own.startsWith(prefix) ? own.slice(prefix.length) : own;
  return `mcp_${owner}_${rest}`.replaceAll(/_+/g, '_');
}

function lowerWords(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z]+/gu, '_');
}
