/** Help output, generated from the tables that also drive the parsing. */

import type { Command, OptionSpec } from '../commands/command.ts';
import { commandTable } from '../commands/command-table.ts';
import { formatTable } from '../terminal/table.ts';
import { wrapLines } from '../terminal/wrap.ts';
import { globalOptions } from './parse-argv.ts';

export function mainHelp(columns?: number): string {
  const commands = commandTable
    .filter(({ name, synonym }) => name !== 'overview' && synonym !== true)
    .map(({ name, aliases, summary }) => [`  ${[name, ...aliases].join(', ')}`, summary]);
  return [
    'holt: every MCP server of every coding agent on this machine',
    '',
    'holt                  what there is, and what to do next',
    'holt COMMAND --help   more about one command',
    '',
    'Commands',
    ...formatTable(commands, columns),
    '',
    'Options for all commands',
    ...optionLines(globalOptions, columns),
    '',
  ].join('\n');
}

export function commandHelp(command: Command, columns?: number): string {
  const usage = `holt ${command.usage === '' ? '' : command.usage}`.trimEnd();
  const lines = [...wrapLines([usage, '', command.summary], columns ?? Infinity)];
  if (Object.keys(command.options).length > 0)
    lines.push('', 'Options', ...optionLines(command.options, columns));
  return `${lines.join('\n')}\n`;
}

function optionLines(
  options: Readonly<Record<string, OptionSpec>>,
  columns: number | undefined,
): readonly string[] {
  return formatTable(
    Object.entries(options)
      .filter(([, { hidden }]) => hidden !== true)
      .map(([name, { short, placeholder, summary }]) => {
        const long = placeholder === undefined ? `--${name}` : `--${name} ${placeholder}`;
        return [`  ${short === undefined ? '   ' : `-${short},`} ${long}`, summary];
      }),
    columns,
  );
}
