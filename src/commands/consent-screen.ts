/** What a person sees before they let an entry run: everything, each word on a line of its own, nothing cut silently. */

import type { TrustQuestion } from '../kernel/interaction.ts';
import { escapeLookalikes } from '../masking/escape-lookalikes.ts';
import type { Style } from '../terminal/style.ts';
import { formatTable } from '../terminal/table.ts';

export function consentScreen(question: TrustQuestion, style: Style): readonly string[] {
  const { definition, reason } = question;
  const { origin } = definition;
  const title = reason === 'changed' ? 'has changed since you approved it' : 'wants to run';
  return [
    style.bold(`"${show(question.server)}" ${title}`),
    ...formatTable(
      [
        ['file', `${show(origin.file)}:${origin.line}`],
        ['agent', `${origin.agent} (${origin.scope})`],
        ...launchRows(question),
        ...sentRows(question),
        ['digest', question.digest],
      ].map(([label = '', value = '']) => [`  ${style.dim(label)}`, value]),
    ),
    ...changeLines(question, style),
    ...question.warnings.map((warning) => `  ${style.yellow('!')} ${show(warning)}`),
  ];
}

function launchRows({ definition, program }: TrustQuestion): readonly (readonly string[])[] {
  const { command, args, env, cwd, url, headers } = definition;
  return [
    ...(command === undefined ? [] : [['command', show(command)]]),
    ...(program === undefined ? [] : [['program', show(program)]]),
    ...(args ?? []).map((argument, index) => [`argument ${index + 1}`, showLong(argument)]),
    ...Object.entries(env ?? {}).map(([name, value]) => ['variable', `${show(name)}=${showLong(value)}`]),
    ...(cwd === undefined ? [] : [['folder', show(cwd)]]),
    ...(url === undefined ? [] : [['url', showLong(url)]]),
    ...Object.entries(headers ?? {}).map(([name, value]) => ['header', `${show(name)}: ${showLong(value)}`]),
  ];
}

function sentRows({ variables, destination, commands, files, inputs }: TrustQuestion): readonly (readonly string[])[] {
  const target = destination === undefined ? 'the program' : show(destination);
  return [
    ...variables.map((name) => ['is told', `${show(name)} → ${target}`]),
    ...commands.map((line) => ['runs first', showLong(line)]),
    ...files.map((file) => ['reads', show(file)]),
    ...inputs.map((id) => ['asks for', show(id)]),
  ];
}

function changeLines({ changes }: TrustQuestion, style: Style): readonly string[] {
  return changes.flatMap(({ path, before, after }) => [
    `  ${style.bold(show(path))}`,
    ...(before === undefined ? [] : [`    ${style.red(`- ${showLong(before)}`)}`]),
    ...(after === undefined ? [] : [`    ${style.green(`+ ${showLong(after)}`)}`]),
  ]);
}

const show = escapeLookalikes;
const headLength = 400;
const tailLength = 80;

/** A text too long to read is shown by its two ends, with its length: padding must not hide what comes after it. */
function showLong(text: string): string {
  if (text.length <= headLength + tailLength) return show(text);
  return `${show(text.slice(0, headLength))} … (${text.length} characters in all, the last ${tailLength}:) … ${show(text.slice(-tailLength))}`;
}
