/** Pages of the reference that are made from tables in the code: commands, settings, events, errors, the HTTP API, the library. */

import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { JsonObject } from '../src/kernel/json.ts';
import { routes } from '../src/api/contract.ts';
import type { Route } from '../src/api/contract.ts';
import { errorReply } from '../src/api/status-codes.ts';
import { exitCodes } from '../src/cli/exit-codes.ts';
import { globalOptions } from '../src/cli/parse-argv.ts';
import type { Command, OptionSpec } from '../src/commands/command.ts';
import { commandTable } from '../src/commands/command-table.ts';
import { HoltError, type ErrorCode } from '../src/kernel/errors.ts';
import { problemCodes } from '../src/kernel/problems.ts';
import { projectRuleText, settingNames, settingsTable, variableOf } from '../src/settings/settings.ts';
import { librarySections } from './make-reference-library.ts';
import { interfaceMembers, membersOf } from './make-reference-parse.ts';

const root = path.dirname(import.meta.dirname);
const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');

export const note = 'Made from the code by `npm run docs`; do not edit.';

/** Bars would end a cell. */
const cell = (text: string): string => text.replaceAll('|', '\\|');
const code = (text: string): string => (text === '' ? '' : `\`${cell(text)}\``);

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

const page = (...parts: readonly string[]): string => `${parts.join('\n\n')}\n`;

/** What each number means to a script. */
const exitMeanings: Readonly<Record<number, string>> = {
  0: 'fine',
  1: 'it ran, and what was asked failed',
  2: 'wrong usage, or an unknown name',
  3: 'needs a login',
  4: 'not trusted',
  5: 'denied by policy',
  6: 'could not connect',
  7: 'timed out',
  70: 'a fault in holt',
  130: 'interrupted',
};

async function commandsPage(): Promise<string> {
  const rows = commandTable.filter(({ name }) => name !== 'overview');
  const sections = await Promise.all(
    rows.map(async ({ name, aliases, load }) => commandSection(name, aliases, await load())),
  );
  return page(
    '# Commands',
    note,
    '`holt` alone shows every server found and what to do next. `holt mcp …` is the same as `holt …`, `holt URL` lists the tools of a server that no file names, and `holt SERVER.TOOL K=V` calls a tool.',
    '## Options for all commands',
    optionTable(globalOptions),
    ...sections,
    '## Exit codes',
    exitTable(),
  );
}

function commandSection(name: string, aliases: readonly string[], command: Command): string {
  const options = Object.keys(command.options).length === 0 ? [] : ['', optionTable(command.options)];
  const other = aliases.map((alias) => code(`holt ${alias}`)).join(', ');
  return [
    `## holt ${name}`,
    '',
    `${command.summary}.${other === '' ? '' : ` Also ${other}.`}`,
    '',
    '```',
    ...command.usage.split(/ \| |\s{2,}or\s{2,}/).map((usage) => `holt ${fullUsage(name, usage)}`),
    '```',
    ...options,
  ].join('\n');
}

/** After a bar some usages name the command again and some go on where it stood. */
function fullUsage(name: string, usage: string): string {
  return usage === name || usage.startsWith(`${name} `) ? usage : `${name} ${usage}`;
}

function optionTable(options: Readonly<Record<string, OptionSpec>>): string {
  const named = Object.entries(options).filter(([, { hidden }]) => hidden !== true);
  const rows = named.map(([name, { short, aliases, placeholder, repeatable, summary }]) => [
    code(placeholder === undefined ? `--${name}` : `--${name} ${placeholder}`),
    [...(short === undefined ? [] : [`-${short}`]), ...(aliases ?? []).map((alias) => `--${alias}`)]
      .map(code)
      .join(', '),
    cell(summary) + (repeatable === true ? '; may stand more than once' : ''),
  ]);
  return table(['option', 'also', 'meaning'], rows);
}

function exitTable(): string {
  const rows = Object.entries(exitMeanings).map(([number, meaning]) => [
    number,
    meaning,
    codesOf(Number(number)).map(code).join(', '),
  ]);
  const unnamed = Object.values(exitCodes).filter((number) => exitMeanings[number] === undefined);
  if (unnamed.length > 0) throw new Error(`exit codes without a meaning: ${unnamed.join(', ')}`);
  return table(['code', 'meaning', 'errors'], rows);
}

function codesOf(number: number): readonly string[] {
  return Object.entries(exitCodes).flatMap(([name, exit]) => (exit === number ? [name] : []));
}

function settingsPage(): string {
  const rows = settingNames.map((name) => {
    const { description, fallback, shape } = settingsTable[name];
    return [
      code(name),
      code(JSON.stringify(fallback)),
      code(variableOf(name)),
      cell(description) + partsText(shape.schema),
      cell(projectRuleText(name)),
    ];
  });
  return page(
    '# Settings',
    note,
    'Settings stand in `~/.holt/config.json`, `<project>/.holt/config.json` and `<project>/.holt/config.local.json`, with comments if you like. The order is: flag, environment, local, project, user, default. `holt config get --origin` says which one won, `holt config set NAME VALUE` writes, `holt config schema` prints the JSON Schema. An administrator’s settings stand under `settings` in `/etc/holt/managed.json` (on macOS and Windows where programs’ data are) and cannot be loosened.',
    table(['setting', 'default', 'variable', 'meaning', 'in a project’s file'], rows),
  );
}

/** What an object may hold; the words for each are in the schema. */
function partsText(schema: JsonObject): string {
  const { properties } = schema as { readonly properties?: Readonly<Record<string, unknown>> }; // our own tables'
  const names = Object.keys(properties ?? {});
  return names.length === 0 ? '' : `: ${names.map(code).join(', ')}`;
}

function eventsPage(): string {
  const events = interfaceMembers(read('src/kernel/events.ts'), 'HostEvents');
  const sections = events.map(({ name, doc, type }) =>
    [`## ${name}`, ...(doc === '' ? [] : ['', doc]), '', fieldTable(type)].join('\n'),
  );
  return page(
    '# Events',
    note,
    'The same names and fields in the library (`host.on(name, listener)`) and in the service (`GET /events`). Each event also has `at`, a time in ISO form, and `id`, a number that only grows. An event is told after the fact, is never waited for and carries no secret. The types are in [library.md](library.md).',
    ...sections,
  );
}

function fieldTable(type: string): string {
  const rows = membersOf(type).map(({ name, type: field }) => [code(name), code(field)]);
  return table(['field', 'type'], rows);
}

function errorsPage(): string {
  const rows = interfaceMembers(read('src/kernel/errors.ts'), 'ErrorDetails').map(({ name, doc, type }) => [
    code(name),
    membersOf(type)
      .map((field) => code(`${field.name}: ${field.type}`))
      .join('<br>'),
    String(exitCodes[name as ErrorCode]), // the names are those of the table
    String(errorReply(new HoltError(name as ErrorCode, '', {} as never)).status), // only the code is looked at
    cell(doc),
  ]);
  const problems = Object.entries(problemCodes).map(([name, meaning]) => [code(name), cell(meaning)]);
  return page(
    '# Errors and problems',
    note,
    'holt throws one class of error, `HoltError`, with a `code`, a `message`, `details` and mostly a `remedy`. `HoltError.is(error, code)` tells them apart. A command prints the message and the remedy and ends with the exit code; with `--json` it prints `{"schema":1,"error":{"code","message","remedy"}}`.',
    '## Errors',
    table(['code', 'details', 'exit code', 'HTTP', 'meaning'], rows),
    '## Problems',
    'What is wrong with a file is a problem, not an error: reading goes on. `holt doctor` and `loadServers()` list them.',
    table(['code', 'meaning'], problems),
  );
}

function httpPage(): string {
  const all: Readonly<Record<string, Route>> = routes;
  const rows = Object.entries(all).map(([route, { scope, summary, streams, kind }]) => [
    code(route),
    scope === undefined ? 'none' : code(scope),
    cell(summary) + (streams === undefined && kind !== 'events' ? '' : ' (can stream)'),
  ]);
  return page(
    '# HTTP API',
    note,
    'Served by `holt serve` on loopback, with a token in every request. `/openapi.json` has every field of every request and answer; `holt/client` is a client with types.',
    table(['route', 'token’s scope', 'does'], rows),
  );
}

function libraryPage(): string {
  return page(
    '# The library',
    note,
    'ESM with types, for Node 20.19 or newer. Importing it does nothing but import.',
    ...librarySections(read),
  );
}

/** Pages made from tables: the same each time. */
export async function tablePages(): Promise<Readonly<Record<string, string>>> {
  return {
    'docs/reference/commands.md': await commandsPage(),
    'docs/reference/settings.md': settingsPage(),
    'docs/reference/events.md': eventsPage(),
    'docs/reference/errors.md': errorsPage(),
    'docs/reference/http.md': httpPage(),
    'docs/reference/library.md': libraryPage(),
  };
}
