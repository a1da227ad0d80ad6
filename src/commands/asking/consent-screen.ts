/**
 * The screen that asks whether an entry may run. It shows everything, one word per line, and cuts nothing
 * without a note.
 */

import type { TrustQuestion } from '../../kernel/interaction.ts';
import type { Style } from '../../terminal/style.ts';
import { formatTable } from '../../terminal/table.ts';
import { isCut, showLongText as long, showText as show } from './long-text.ts';

type Row = readonly [label: string, value: string];

export function consentScreen(question: TrustQuestion, style: Style): readonly string[] {
  const { definition, reason, fileTarget } = question;
  const { origin } = definition;
  const title = reason === 'changed' ? 'has changed since you approved it' : 'wants to run';
  const rows: readonly Row[] = [
    ['file', `${show(origin.file)}:${origin.line}`],
    ...(fileTarget === undefined ? [] : [['which is', `a link to ${show(fileTarget)}`] as const]),
    ['agent', `${origin.agent} (${origin.scope})`],
    ...programRows(question),
    ...remoteRows(question),
    ...sentRows(question),
    ...grantedRows(question),
    ...folderRows(question),
    ['digest', question.digest],
  ];
  return [
    style.bold(`"${show(question.server)}" ${title}`),
    ...formatTable(
      rows.map(([label, value]) => [`  ${style.dim(label)}`, value]),
      style.columns,
    ),
    ...changeLines(question, style),
    ...[...question.warnings, ...cutWarnings(rows, question)].map(
      (warning) => `  ${style.yellow('!')} ${long(warning)}`,
    ),
  ];
}

function programRows({ definition, program }: TrustQuestion): readonly Row[] {
  const { command, args, env, cwd } = definition;
  if (command === undefined) return [];
  return [
    ['command', long(command)],
    ['program', program === undefined ? 'not found on this machine now' : show(program)],
    ...(args ?? []).map((argument, index): Row => [`argument ${index + 1}`, long(argument)]),
    ...Object.entries(env ?? {}).map(([name, value]): Row => ['variable', `${long(name)}=${long(value)}`]),
    ...(cwd === undefined ? [] : [['folder', long(cwd)] as const]),
  ];
}

function remoteRows({ definition }: TrustQuestion): readonly Row[] {
  const { url, headers, oauth, tls } = definition;
  return [
    ...(url === undefined ? [] : [['url', long(url)] as const]),
    ...Object.entries(headers ?? {}).map(([name, value]): Row => ['header', `${long(name)}: ${long(value)}`]),
    ...(oauth === undefined
      ? []
      : [['login', oauth === false ? 'off' : long(JSON.stringify(oauth))] as const]),
    ...Object.entries(tls ?? {}).map(([name, value]): Row => [name, long(String(value))]),
  ];
}

function sentRows({
  definition,
  variables,
  destination,
  commands,
  files,
  inputs,
}: TrustQuestion): readonly Row[] {
  const target = destination === undefined ? 'the program' : show(destination);
  const everything =
    definition.inheritEnv === 'all'
      ? [['receives', `every variable of your environment → ${target}`] as const]
      : [];
  return [
    ...everything,
    ...variables.map((name): Row => ['receives', `${show(name)} → ${target}`]),
    ...commands.map((line): Row => ['runs first', long(line)]),
    ...files.map((file): Row => ['reads', long(file)]),
    ...inputs.map((id): Row => ['asks for', show(id)]),
  ];
}

/** Describes the answer `f`, which is offered while the folder is not trusted. */
function folderRows({ folder }: TrustQuestion): readonly Row[] {
  if (folder === undefined) return [];
  return [['f', `yes, and trust ${show(folder)}: your own servers then start in it, too`]];
}

function grantedRows({ definition: { auth, tools } }: TrustQuestion): readonly Row[] {
  return [
    ...(auth === undefined ? [] : [['uses login', show(auth.credentialId)] as const]),
    ...(tools?.autoApprove ?? []).map((tool): Row => ['calls unasked', show(tool)]),
  ];
}

function changeLines({ changes }: TrustQuestion, style: Style): readonly string[] {
  return changes.flatMap(({ path, before, after }) => [
    `  ${style.bold(show(path))}`,
    ...(before === undefined ? [] : [`    ${style.red(`- ${long(before)}`)}`]),
    ...(after === undefined ? [] : [`    ${style.green(`+ ${long(after)}`)}`]),
  ]);
}

/** Placed at the end, where the reader sees it last. */
function cutWarnings(rows: readonly Row[], { definition }: TrustQuestion): readonly string[] {
  const { command = '', args = [], env = {}, url = '', headers = {} } = definition;
  const texts = [command, ...args, url, ...Object.values(env), ...Object.values(headers)];
  const count = texts.filter(isCut).length;
  if (count === 0) return [];
  return [
    `${count} of ${rows.length} lines above are too long to be shown completely: read them in the file before you answer yes`,
  ];
}
