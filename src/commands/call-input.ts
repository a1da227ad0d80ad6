/** Reads the input of `holt call`: the tool and its arguments. */

import { isObject, type JsonObject } from '../kernel/json.ts';
import { readArguments } from '../catalog/command-arguments.ts';
import { normalizeCallText, normalizeWords } from '../catalog/argument-spellings.ts';
import { parameterNames, type ToolInfo } from '../catalog/tool-info.ts';
import { type CommandContext, type CommandInput, usage, valueOf } from './command.ts';
import { isServerUrl } from './unlisted-server.ts';

/** One interpretation of the words: the tool, and the words for its arguments. */
export interface CallReading {
  readonly selector: string;
  readonly words: readonly string[];
  /** The text between the parentheses of `'s.t(k: "x")'`. */
  readonly callText?: string;
}

/** A tool written as in code. Some people put a space before the parenthesis. */
const callForm = /^([^\s()]+)\s*\(([\s\S]*)\)\s*;?$/;

/**
 * Returns the possible interpretations, best first. Two words can be `s t` or a tool with one value; only the
 * known servers can tell. Throws `usage-invalid` if there are no words.
 */
export function callReadings(positionals: readonly string[]): readonly [CallReading, ...CallReading[]] {
  const [first, ...words] = positionals;
  if (first === undefined) {
    throw usage('holt call needs a tool', 'holt call SERVER.TOOL K=V…; holt tools lists them.');
  }
  const [, called, callText] = callForm.exec(first) ?? [];
  if (called !== undefined && callText !== undefined) return [{ selector: called, words, callText }];
  const alone = { selector: first, words };
  const [second, ...rest] = words;
  if (second === undefined || second.startsWith('--') || second.includes('=') || isServerUrl(first))
    return [alone];
  return [{ selector: `${first} ${second}`, words: rest }, alone];
}

const maxBytes = 64 << 20;

/** Reads the arguments. Single ones override those from `--args`. Throws `usage-invalid`. */
export async function readCallArguments(
  input: CommandInput,
  reading: CallReading,
  { inputSchema }: ToolInfo,
  context: CommandContext,
): Promise<JsonObject> {
  const given = valueOf(input, 'args');
  const isLone = isArgumentsObject(reading.words, inputSchema);
  const [callText = '', ownWords] = isLone ? [reading.words[0], []] : [reading.callText, reading.words];
  const isObjectText = /^\s*\{[\s\S]*\}\s*$/.test(callText);
  const words = [
    ...(isObjectText ? [] : normalizeCallText(callText, inputSchema)),
    ...normalizeWords(ownWords, inputSchema),
  ];
  return {
    ...(given === undefined ? {} : parseObject(await textOf(given, context))),
    ...(isObjectText ? parseObject(callText) : {}),
    ...readArguments(words, inputSchema, (file) => readFile(file, context)),
  };
}

/**
 * True for a single JSON object whose keys are all parameters of the tool, as other command lines accept it.
 */
function isArgumentsObject([only = '', ...others]: readonly string[], inputSchema: unknown): boolean {
  if (others.length > 0 || !only.trimStart().startsWith('{')) return false;
  const value = parse(only);
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const names = new Set(parameterNames(inputSchema));
  return keys.length > 0 && keys.every((key) => names.has(key));
}

async function textOf(given: string, context: CommandContext): Promise<string> {
  if (given === '-') {
    const { readStdin } = await import('../terminal/ask.ts');
    return readStdin(maxBytes);
  }
  return given.startsWith('@') ? readFile(given.slice(1), context) : given;
}

function readFile(file: string, { machine, readText }: CommandContext): string {
  const text = readText(machine.path.resolve(machine.cwd, file));
  if (text !== undefined) return text;
  throw usage(`The file ${file} cannot be read`, 'Check its name; it may be at most 1 MiB.', file);
}

function parseObject(text: string): JsonObject {
  const value = parse(text);
  if (isObject(value)) return value;
  throw usage(
    '--args takes a JSON object',
    `For example --args '{"path":"a.txt"}', --args @file.json, or --args - for standard input.`,
    '--args',
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
