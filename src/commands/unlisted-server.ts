/** A server that is not configured and is given by its URL: `holt https://example.test/mcp`. */

import type { ServerConfig } from '../roster/server-config.ts';

export interface UnlistedServer {
  readonly name: string;
  readonly servers: Readonly<Record<string, ServerConfig>>;
}

export function isServerUrl(word: string): boolean {
  return /^(https?|wss?):\/\//i.test(word) && URL.canParse(word);
}

/** Returns undefined if the word is a name. */
export function unlistedServer(word: string): UnlistedServer | undefined {
  if (!isServerUrl(word)) return undefined;
  const name = new URL(word).hostname.replaceAll(/[^\w.-]/g, '').slice(0, 100);
  const config: ServerConfig = { type: /^ws/i.test(word) ? 'ws' : 'http', url: word };
  return { name, servers: { [name]: config } };
}

/** Splits `URL.tool` at the last dot after the last slash, so that dots in the host name do not count. */
export function splitUrlTool(word: string): { readonly url: string; readonly tool: string } | undefined {
  const at = word.lastIndexOf('.');
  const slash = word.lastIndexOf('/');
  if (!isServerUrl(word) || slash < word.indexOf('://') + 3) return undefined;
  if (at < slash || at === word.length - 1) return undefined;
  const url = word.slice(0, at);
  return isServerUrl(url) ? { url, tool: word.slice(at + 1) } : undefined;
}
