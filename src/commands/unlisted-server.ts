/** A server that no file names, given by its URL: `holt https://example.test/mcp`. */

import type { ServerConfig } from '../roster/server-config.ts';

export interface UnlistedServer {
  readonly name: string;
  readonly servers: Readonly<Record<string, ServerConfig>>;
}

export function isServerUrl(word: string): boolean {
  return /^(https?|wss?):\/\//i.test(word) && URL.canParse(word);
}

/** Undefined when the word is a name. */
export function unlistedServer(word: string): UnlistedServer | undefined {
  if (!isServerUrl(word)) return undefined;
  const name = new URL(word).hostname.replaceAll(/[^\w.-]/g, '').slice(0, 100);
  const config: ServerConfig = { type: /^ws/i.test(word) ? 'ws' : 'http', url: word };
  return { name, servers: { [name]: config } };
}

/** `URL.tool`, cut at the last dot after the last slash. A dot in the name of the host cuts nothing. */
export function splitUrlTool(word: string): { readonly url: string; readonly tool: string } | undefined {
  const at = word.lastIndexOf('.');
  const slash = word.lastIndexOf('/');
  if (!isServerUrl(word) || slash < word.indexOf('://') + 3) return undefined;
  if (at < slash || at === word.length - 1) return undefined;
  const url = word.slice(0, at);
  return isServerUrl(url) ? { url, tool: word.slice(at + 1) } : undefined;
}
