/**
 * Asks a server's question (elicitation) at a terminal: shows which server asks, and sends nothing that the
 * user has not reviewed.
 */

import type { ElicitAnswer, ElicitRequest } from '../../kernel/interaction.ts';
import { escapeBlock } from '../../masking/escape-text.ts';
import { readFields, readTyped, type FieldValue, type FormField } from './form-fields.ts';
import { showLongText, showText } from './long-text.ts';

export interface Asking {
  readonly ask: (question: string) => Promise<string | undefined>;
  /** Like `ask`, but ignores keys typed before the question, for answers that send or open something. */
  readonly askFreshly: (question: string) => Promise<string | undefined>;
  readonly print: (lines: readonly string[]) => void;
  /** Resolves to false if no browser could be opened. */
  readonly openUrl: (url: string) => Promise<boolean>;
}

type Content = Readonly<Record<string, FieldValue>>;

const longestMessage = 4000;

export function askElicit(request: ElicitRequest, asking: Asking): Promise<ElicitAnswer> {
  return request.mode === 'url' ? askPage(request, asking) : askForm(request, asking);
}

async function askForm(
  { server, message, requestedSchema = {} }: ElicitRequest,
  asking: Asking,
): Promise<ElicitAnswer> {
  const fields = readFields(requestedSchema);
  asking.print([`"${showText(server)}" asks you:`, ...messageLines(message)]);
  if (fields === undefined) {
    asking.print(['Its form cannot be filled in at a terminal.']);
    return { action: 'cancel' };
  }
  const refusal = await isRefused('Answer?', asking);
  if (refusal !== undefined) return refusal;
  let content: Content = {};
  for (;;) {
    const filled = await fillIn(fields, content, asking);
    if (filled === undefined) return { action: 'cancel' };
    content = filled;
    asking.print(
      Object.entries(content).map(([name, value]) => `  ${showText(name)}: ${showText(String(value))}`),
    );
    const answer = word(
      await asking.askFreshly(
        `Send this to "${showText(server)}"? y = yes, e = change it, Enter = no [y/e/N]: `,
      ),
    );
    if (isYes(answer)) return { action: 'accept', content };
    if (answer !== 'e') return { action: 'cancel' };
  }
}

/** Returns undefined if the user cancels before the last field. */
async function fillIn(
  fields: readonly FormField[],
  before: Content,
  asking: Asking,
): Promise<Content | undefined> {
  const content: Record<string, FieldValue> = {};
  for (const field of fields) {
    const answer = await askField({ ...field, initial: before[field.name] ?? field.initial }, asking);
    if (answer === undefined) return undefined;
    if (answer !== 'left out') content[field.name] = answer.value;
  }
  return content;
}

async function askField(
  field: FormField,
  { ask, print }: Asking,
): Promise<{ readonly value: FieldValue } | 'left out' | undefined> {
  const { title, description, choices, required, initial } = field;
  print([
    ...(description === '' ? [] : [`  ${showLongText(description)}`]),
    ...choices.map(({ label }, index) => `  ${index + 1}. ${showText(label)}`),
  ]);
  for (;;) {
    const typed = (await ask(`${showText(title)} (${hintOf(field)}): `))?.trim();
    if (typed === undefined) return undefined;
    if (typed === '' && initial !== undefined) return { value: initial };
    if (typed === '' && !required) return 'left out';
    const outcome = readTyped(field, typed);
    if (outcome.ok && typed !== '') return { value: outcome.value };
    print([outcome.ok ? 'This field is required. Press Esc to cancel.' : outcome.reason]);
  }
}

function hintOf({ kind, initial, required }: FormField): string {
  const how = kind === 'yes-no' ? 'y or n, ' : kind === 'some-of' ? 'several with commas, ' : '';
  if (initial !== undefined) return `${how}Enter = ${showText(String(initial))}`;
  return `${how}${required ? 'needed' : 'Enter leaves it out'}`;
}

/** Shows the whole URL, and the host in the encoding that is connected to. */
async function askPage({ server, message, url = '' }: ElicitRequest, asking: Asking): Promise<ElicitAnswer> {
  const site = URL.canParse(url) ? new URL(url) : undefined;
  if (site?.protocol !== 'https:' && site?.protocol !== 'http:') return { action: 'cancel' };
  asking.print([
    `"${showText(server)}" asks you to open a page:`,
    ...messageLines(message),
    `  site:    ${showText(site.host)}${site.protocol === 'http:' ? ' (not encrypted)' : ''}`,
    `  address: ${showLongText(site.href)}`,
  ]);
  const refusal = await isRefused('Open it?', asking);
  if (refusal !== undefined) return refusal;
  if (!(await asking.openUrl(site.href)))
    asking.print(['No browser could be opened here. Open the address yourself.']);
  return { action: 'accept' };
}

async function isRefused(question: string, { askFreshly }: Asking): Promise<ElicitAnswer | undefined> {
  const answer = word(await askFreshly(`${question} y = yes, d = decline, Enter = not now [y/N/d]: `));
  if (isYes(answer)) return undefined;
  return { action: answer === 'd' ? 'decline' : 'cancel' };
}

function messageLines(message: string): readonly string[] {
  const shown = message.length > longestMessage ? `${message.slice(0, longestMessage)}…` : message;
  return escapeBlock(shown)
    .split('\n')
    .map((line) => `  ${line}`);
}

function word(line: string | undefined): string {
  return line?.trim().toLowerCase() ?? '';
}

function isYes(answer: string): boolean {
  return answer === 'y' || answer === 'yes';
}
