/**
 * `holt call`: calls one tool and shows the result. Typing the command counts as permission, so only a deny
 * rule refuses it.
 */

import type { JsonObject } from '../kernel/json.ts';
import { signatureOf } from '../catalog/signature.ts';
import type { ToolInfo } from '../catalog/tool-info.ts';
import type { Host, HostCallOptions } from '../host/host.ts';
import { HoltError } from '../kernel/errors.ts';
import { escapeBlock, escapeLine } from '../masking/escape-text.ts';
import type { ToolResult } from '../results/tool-result.ts';
import { jsonText } from '../terminal/json-text.ts';
import { askingForTrust, withHost } from './with-host.ts';
import { callReadings, readCallArguments, type CallReading } from './call-input.ts';
import { defineCommand, valueOf, type CommandContext, type CommandInput } from './command.ts';
import { saveAttachments, unsavedNote } from './show/save-attachments.ts';
import { splitUrlTool, unlistedServer } from './unlisted-server.ts';

type CallData =
  | { readonly output: 'raw'; readonly raw: JsonObject }
  | {
      readonly output: 'text' | 'json';
      readonly result: ToolResult;
      /** The files that attachments were saved to. */
      readonly saved: readonly string[];
    };

const outputs = ['text', 'json', 'raw'] as const;

export const call = defineCommand<CallData>({
  name: 'call',
  summary: 'Call a tool',
  usage: 'call TOOL [K=V…] [--args JSON|@FILE|-]',
  passesOptions: true,
  completes: 'tools',
  options: {
    args: {
      type: 'value',
      placeholder: 'JSON',
      summary: 'all arguments at once: JSON, @FILE or - for stdin',
    },
    timeout: { type: 'value', placeholder: 'MS', summary: 'cancel the call after this time' },
    output: { type: 'value', placeholder: 'KIND', summary: 'text, json or raw', completes: [...outputs] },
    save: {
      type: 'value',
      placeholder: 'DIR',
      summary: 'save images and other files here',
      completes: 'files',
    },
  },

  async run(input, context) {
    const output = outputOf(input);
    const timeoutMs = timeoutOf(input);
    const given = callReadings(input.positionals);
    const away = splitUrlTool(given[0].selector);
    const unlisted = away === undefined ? undefined : unlistedServer(away.url);
    const readings =
      away === undefined || unlisted === undefined
        ? given
        : ([{ ...given[0], selector: `${unlisted.name} ${away.tool}` }] as const);
    return withHost(
      context,
      async (host, signal, line) => {
        const { tool, reading, spentMs } = await findIt(host, { readings, timeoutMs }, context);
        line.waitFor(`${tool.server}.${tool.tool}`);
        const options: HostCallOptions = {
          signal,
          timeoutMs: timeoutMs === undefined ? undefined : restOf(timeoutMs, spentMs),
          asked: true,
          onProgress: ({ progress, total, message }) =>
            line.report(progressText(tool.tool, { progress, total, message })),
        };
        try {
          const args = await readCallArguments(input, reading, tool, context);
          return await callIt(host, { tool, args, options, output, folder: valueOf(input, 'save') }, context);
        } catch (error) {
          throw withSignature(error, tool);
        }
      },
      unlisted?.servers,
    );
  },

  render: (data) => {
    if (data.output === 'raw') return [jsonText(data.raw).trimEnd()];
    if (data.output === 'json') return [jsonText({ schema: 1, ...data.result }).trimEnd()];
    const { result, saved } = data;
    return [
      ...(result.text === '' ? [] : [escapeBlock(result.text)]),
      ...saved.map((file) => `saved ${escapeLine(file)}`),
      ...(saved.length === 0 ? unsavedNote(result.attachments) : []),
      ...(result.repaired ?? []).map((line) => `note: ${escapeLine(line)}`),
    ];
  },
  json: (data) => (data.output === 'raw' ? data.raw : { ...data.result }),
  exitCode: (data) => (data.output === 'raw' ? Number(data.raw['isError'] === true) : exitOf(data.result)),
});

interface Wanted {
  readonly readings: readonly [CallReading, ...CallReading[]];
  readonly timeoutMs: number | undefined;
}

interface FoundCall {
  readonly tool: ToolInfo;
  readonly reading: CallReading;
  readonly spentMs: number;
}

async function findIt(
  host: Host,
  { readings, timeoutMs }: Wanted,
  context: CommandContext,
): Promise<FoundCall> {
  const look = async (): Promise<FoundCall> => {
    const begunAt = context.now().getTime();
    const found = await firstFound(readings, (selector) => host.findTool(selector, { timeoutMs }));
    return { ...found, spentMs: context.now().getTime() - begunAt };
  };
  return askingForTrust(context, look, async (server) => {
    const connecting = host.connect(server, { ifEnabled: true }).catch(() => undefined);
    // The start counts towards the call's timeout, the question does not.
    await look();
    // An approval may change which server wins a name.
    await connecting;
  });
}

/** If no interpretation matches, throws the error of the first one. */
async function firstFound(
  [first, ...others]: Wanted['readings'],
  find: (selector: string) => Promise<ToolInfo>,
): Promise<Omit<FoundCall, 'spentMs'>> {
  try {
    return { tool: await find(first.selector), reading: first };
  } catch (error) {
    const [second] = others;
    if (second === undefined || !HoltError.is(error, 'tool-not-found')) throw error;
    const tool = await find(second.selector).catch(() => undefined);
    if (tool === undefined) throw error;
    return { tool, reading: second };
  }
}

interface Request {
  readonly tool: ToolInfo;
  readonly args: JsonObject;
  readonly options: HostCallOptions;
  readonly output: (typeof outputs)[number];
  readonly folder: string | undefined;
}

async function callIt(host: Host, request: Request, context: CommandContext): Promise<CallData> {
  const { tool, args, options, output, folder } = request;
  if (output === 'raw') return { output, raw: await host.callRaw(tool.name, args, options) };
  const result = await host.call(tool.name, args, options);
  const saved = folder === undefined ? [] : await saveAttachments(result.attachments, folder, context);
  return { output, result, saved };
}

/** A failed tool, a timeout and an unreachable server have different exit codes. */
function exitOf({ ok, error }: ToolResult): number {
  if (ok) return 0;
  if (error?.code === 'call-timeout') return 7;
  return error?.code === 'connection-lost' || error?.code === 'session-lost' ? 6 : 1;
}

function withSignature(error: unknown, tool: ToolInfo): unknown {
  if (!HoltError.is(error)) return error;
  const signature = signatureOf({ name: `${tool.server}.${tool.tool}`, inputSchema: tool.inputSchema });
  if (HoltError.is(error, 'arguments-invalid'))
    return new HoltError(error.code, error.message, error.details, { cause: error, remedy: signature });
  if (!HoltError.is(error, 'usage-invalid')) return error;
  const remedy = `${error.remedy ?? ''} The tool is ${signature}`.trimStart();
  return new HoltError(error.code, error.message, error.details, { cause: error, remedy });
}

function progressText(
  tool: string,
  { progress, total, message }: Parameters<NonNullable<HostCallOptions['onProgress']>>[0],
): string {
  const share = total === undefined ? String(progress) : `${progress}/${total}`;
  return `${tool}: ${share}${message === undefined ? '' : ` ${message}`}`;
}

function outputOf(input: CommandInput): (typeof outputs)[number] {
  if (input.flags.has('json')) return 'json';
  const given = valueOf(input, 'output') ?? 'text';
  const known = outputs.find((output) => output === given);
  if (known !== undefined) return known;
  throw new HoltError(
    'usage-invalid',
    `Unknown output "${given}"`,
    { given },
    { remedy: `--output takes ${outputs.join(', ')}.` },
  );
}

/** The time left. More than the timeout can only pass while a person is asked, which does not count. */
function restOf(timeoutMs: number, spentMs: number): number {
  return spentMs < timeoutMs ? timeoutMs - Math.max(spentMs, 0) : timeoutMs;
}

function timeoutOf(input: CommandInput): number | undefined {
  const given = valueOf(input, 'timeout');
  if (given === undefined) return undefined;
  if (/^(?:0|[1-9]\d{0,8})$/.test(given)) return Number(given);
  throw new HoltError(
    'usage-invalid',
    `Invalid timeout "${given}": expected a whole number of milliseconds`,
    { given },
    { remedy: 'For example --timeout 30000.' },
  );
}
