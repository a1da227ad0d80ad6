/** The peers that are measured, and the features that some of them lack. */

import type { Column } from '../report/record.ts';

export const columns: readonly Column[] = [
  { id: 'holt', name: 'holt', from: 'holt' },
  { id: 'sdk-v2', name: 'SDK v2', from: '@modelcontextprotocol/client' },
  { id: 'sdk-v1', name: 'SDK v1', from: '@modelcontextprotocol/sdk' },
  { id: 'mcporter', name: 'mcporter', from: 'mcporter' },
  { id: 'ai-sdk', name: 'AI SDK', from: '@ai-sdk/mcp' },
  { id: 'langchain', name: 'LangChain', from: '@langchain/mcp-adapters' },
  { id: 'mcp-use', name: 'mcp-use', from: 'mcp-use' },
  { id: 'mcp-remote', name: 'mcp-remote', from: 'mcp-remote' },
];

const libraries = new Set(['sdk-v2', 'sdk-v1', 'ai-sdk', 'langchain']);

/** Why a command line cannot be asked for this. */
export function lacksCommand(id: string, what: string): string {
  if (libraries.has(id)) return 'A library, without a command line.';
  if (id === 'mcp-remote') return lacksLibrary;
  return `Its command line has no ${what}.`;
}

export const lacksLibrary = 'A command that stands between a client over stdio and one server over HTTP.';
