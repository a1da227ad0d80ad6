/** Completes a line with commands, servers, tools, and the arguments of a tool. Pure. */

import type { ToolInfo } from '../catalog/tool-info.ts';
import { withoutProgram } from './translate.ts';

export interface Known {
  readonly commands: readonly { readonly name: string; readonly takesServer: boolean }[];
  readonly servers: readonly string[];
  readonly tools: readonly Pick<ToolInfo, 'name' | 'server' | 'tool' | 'inputSchema'>[];
}

export type Completion = readonly [matches: readonly string[], word: string];

export function complete(line: string, known: Known): Completion {
  const slash = line.startsWith('/') ? '/' : '';
  const typed = line.slice(slash.length).split(/\s+/);
  const words = typed.length > 1 ? withoutProgram(typed) : typed;
  const word = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const verb = before[0] === 'mcp' ? before[1] : before[0];
  if (verb === undefined) {
    const isFirst = typed.length === 1;
    const shown = isFirst ? `${slash}${word}` : word;
    const names = before[0] === 'mcp' ? known.servers.map((server) => `${server} `) : [];
    return [fitting([...firstWords(known, isFirst ? slash : ''), ...names], shown), shown];
  }
  return [fitting(laterWords(verb, before, known), word), word];
}

function firstWords({ commands, tools }: Known, slash: string): readonly string[] {
  const verbs = [...commands.map(({ name }) => name), 'mcp', 'help', 'quit', 'events', 'reload'];
  return [...verbs.map((verb) => `${slash}${verb} `), ...(slash === '' ? toolWords(tools) : [])];
}

function laterWords(verb: string, before: readonly string[], known: Known): readonly string[] {
  const { commands, servers, tools } = known;
  const at = before[0] === 'mcp' ? 2 : 1;
  const tool = findTool(verb === 'call' ? (before[at] ?? '') : verb, tools);
  if (tool !== undefined) {
    const given = new Set(before.map((word) => word.split('=', 1)[0]));
    return argumentNames(tool)
      .filter((name) => !given.has(name))
      .map((name) => `${name}=`);
  }
  if (verb === 'call') return toolWords(tools);
  if (verb === 'reload' || commands.some(({ name, takesServer }) => name === verb && takesServer))
    return servers.map((server) => `${server} `);
  return [];
}

function toolWords(tools: Known['tools']): readonly string[] {
  return tools.map(({ server, tool }) => `${server}.${tool} `);
}

function findTool(word: string, tools: Known['tools']): Known['tools'][number] | undefined {
  return tools.find(({ name, server, tool }) => word === name || word === `${server}.${tool}`);
}

function argumentNames({ inputSchema }: Known['tools'][number]): readonly string[] {
  const { properties } = inputSchema;
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
}

/**
 * Completed names come from servers and are inserted into the line unchanged. Leave out names with characters
 * that could do more than name something, and names with blanks: they would be several words, and in a list
 * of matches they could look like the prompt.
 */
const harmless = /^[\x21-\x7e]* ?$/;

function fitting(words: readonly string[], start: string): readonly string[] {
  return [...new Set(words.filter((word) => word.startsWith(start) && harmless.test(word)))];
}
