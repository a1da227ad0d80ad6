/** What `holt call` is given: which tool, with which arguments. */

import { readArguments } from '../catalog/typed-arguments.ts';
import type { JsonObject, ToolInfo } from '../catalog/tool-info.ts';
import { HoltError } from '../kernel/errors.ts';
import { valueOf, type CommandContext, type CommandInput } from './command.ts';

export interface CallWords {
  readonly selector: string;
  readonly words: readonly string[];
}

/** `s t` is two words; an argument always has a sign in it. */
export function splitCallWords(positionals: readonly string[]): CallWords {
  const [first, second, ...rest] = positionals;
  if (first === undefined) {
    throw new HoltError(
      'usage-invalid',
      'holt call needs a tool',
      { given: '' },
      { remedy: 'holt call SERVER.TOOL K=V…; holt tools lists them.' },
    );
  }
  if (second === undefined) return { selector: first, words: [] };
  return second.includes('=')
    ? { selector: first, words: [second, ...rest] }
    : { selector: `${first} ${second}`, words: rest };
}

const maxBytes = 64 << 20;

/** `--args` first, single arguments over it. */
export async function readCallArguments(
  input: CommandInput,
  words: readonly string[],
  tool: ToolInfo,
  context: CommandContext,
): Promise<JsonObject> {
  const given = valueOf(input, 'args');
  const whole = given === undefined ? {} : parseObject(await textOf(given, context));
  return { ...whole, ...readArguments(words, tool.inputSchema, (file) => readFile(file, context)) };
}

async function textOf(given: string, context: CommandContext): Promise<string> {
  if (given === '-') {
    const { readStdin } = await import('../platform/read-stdin.ts');
    return readStdin(maxBytes);
  }
  return given.startsWith('@') ? readFile(given.slice(1), context) : given;
}

function readFile(file: string, { machine, readText }: CommandContext): string {
  const text = readText(machine.path.resolve(machine.cwd, file));
  if (text !== undefined) return text;
  throw new HoltError(
    'usage-invalid',
    `The file ${file} cannot be read`,
    { given: file },
    { remedy: 'Check its name; it may be at most 1 MiB.' },
  );
}

function parseObject(text: string): JsonObject {
  const value = parse(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject; // just checked
  throw new HoltError(
    'usage-invalid',
    '--args takes a JSON object',
    { given: '--args' },
    { remedy: `For example --args '{"path":"a.txt"}', --args @file.json, or --args - for standard input.` },
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
