/** `holt pin`: lists pinned tools, shows which have changed and how, and accepts the changes. */

import { createPinFile } from '../catalog/pin-file.ts';
import { createPinReviewer, type PinnedRow } from '../catalog/pins.ts';
import type { WithheldTool } from '../catalog/tool-info.ts';
import type { Host } from '../host/host.ts';
import { HoltError } from '../kernel/errors.ts';
import type { Problem } from '../kernel/problems.ts';
import { nameWord } from '../kernel/shell-words.ts';
import { escapeLine } from '../masking/escape-text.ts';
import type { Style } from '../terminal/style.ts';
import { formatTable } from '../terminal/table.ts';
import { type CommandContext, type CommandInput, defineCommand, usage } from './command.ts';
import { errorsOf, reportErrors } from './show/offers.ts';
import { withHost } from './with-host.ts';

interface PinData {
  readonly verb: Verb;
  readonly pinned: readonly PinnedRow[];
  readonly withheld: readonly WithheldTool[];
  readonly accepted: readonly WithheldTool[];
  /** Servers whose instructions were accepted. */
  readonly instructed: readonly string[];
  /** Other problems in what servers offer. */
  readonly oddities: readonly Problem[];
  readonly errors: Readonly<Record<string, string>>;
  readonly exit: number;
}

const verbs = ['list', 'diff', 'accept'] as const;
type Verb = (typeof verbs)[number];

export const pin = defineCommand<PinData>({
  name: 'pin',
  wrapsLines: true,
  summary: 'Show tools that changed since they were accepted, and accept them',
  usage: 'pin [list|diff [SERVER[.TOOL]…]|accept SERVER[.TOOL]…] [--all]',
  options: { all: { type: 'flag', summary: 'accept every change of every server' } },
  completes: [...verbs],
  completesAfter: { diff: 'servers', accept: 'servers' },

  async run(input, context) {
    const { verb, words, all } = readWords(input);
    return withHost(context, async (host) => {
      const targets = await connectTargets(host, words);
      const named = targets.length === 1 ? targets[0]?.server : undefined;
      const before = instructionsIn(host);
      const accepted = verb === 'accept' ? await acceptAll(host, all ? connectedOf(host) : targets) : [];
      const withheld = host.withheld().filter((tool) => isMeant(tool, targets));
      const pinned = verb === 'list' ? await readPinned(context) : [];
      const oddities = host.problems().filter((problem) => isOddity(problem, targets));
      const after = new Set(instructionsIn(host));
      const instructed = before.filter((server) => !after.has(server));
      const missing = reportErrors(errorsOf(host, 'tools', named), context);
      return { verb, pinned, withheld, accepted, instructed, oddities, ...missing };
    });
  },

  render: (data, style) => [
    ...(data.verb === 'list' ? pinnedLines(data.pinned, style) : []),
    ...(data.verb === 'accept' ? acceptedLines(data, style) : withheldLines(data.withheld, data.verb, style)),
    ...data.oddities.flatMap((problem) => oddityLines(problem, style)),
  ],

  json: ({ verb, pinned, withheld, accepted, instructed, oddities, errors }) => ({
    ...(verb === 'list' ? { pinned: pinned.map(({ server, tools }) => ({ server, tools })) } : {}),
    ...(verb === 'accept' ? { accepted } : {}),
    ...(instructed.length === 0 ? {} : { acceptedInstructions: instructed }),
    withheld,
    ...(oddities.length === 0 ? {} : { problems: oddities }),
    errors,
  }),
  exitCode: ({ exit }) => exit,
});

function readWords({ positionals, flags }: CommandInput): {
  verb: Verb;
  words: readonly string[];
  all: boolean;
} {
  const [first = 'list', ...words] = positionals;
  const verb = verbs.find((known) => known === first);
  const all = flags.has('all');
  if (verb === undefined)
    throw usage(
      'holt pin knows list, diff and accept',
      `holt pin diff ${nameWord(first)} shows what changed.`,
      first,
    );
  if (verb === 'accept' && (words.length === 0) !== all)
    throw usage(
      'holt pin accept takes servers, tools or --all',
      'holt pin accept SERVER[.TOOL]',
      words.join(' '),
    );
  if (verb !== 'accept' && all)
    throw usage('--all goes with holt pin accept', 'holt pin accept --all', '--all');
  return { verb, words, all };
}

/** Connects the named servers, or all if none is named. Failures are reported with the result. */
async function connectTargets(host: Host, words: readonly string[]): Promise<readonly PinTarget[]> {
  if (words.length === 0) {
    await host.tools({ wait: 'settled' });
    return [];
  }
  const known = host.definitions().map(({ name }) => name);
  const targets = words.map((word) => findPinTarget(word, known));
  for (const server of new Set(targets.map(({ server: name }) => name))) {
    await host.connect(server, { ifEnabled: true });
    await host.tools({ wait: 'settled', server });
  }
  return targets;
}

function connectedOf(host: Host): readonly PinTarget[] {
  return Object.entries(host.status()).flatMap(([server, { status }]) =>
    status === 'connected' ? [{ server, tool: undefined }] : [],
  );
}

async function acceptAll(host: Host, targets: readonly PinTarget[]): Promise<readonly WithheldTool[]> {
  const accepted: WithheldTool[] = [];
  for (const { server, tool } of targets) {
    if (host.status()[server]?.status !== 'connected') continue;
    if (tool !== undefined) await requireTool(host, server, tool);
    accepted.push(...(await host.acceptPins(server, tool)));
  }
  return accepted;
}

async function requireTool(host: Host, server: string, tool: string): Promise<void> {
  const isWithheld = host.withheld().some((held) => held.server === server && held.tool === tool);
  if (isWithheld) return;
  const offered = await host.tools({ wait: 'settled', server });
  if (offered.some((known) => known.tool === tool)) return;
  throw new HoltError(
    'tool-not-found',
    `Server "${server}" has no tool "${tool}"`,
    { tool },
    { remedy: `holt pin diff ${nameWord(server)} shows what waits to be accepted.` },
  );
}

function isMeant({ server, tool }: WithheldTool, targets: readonly PinTarget[]): boolean {
  if (targets.length === 0) return true;
  return targets.some((target) => target.server === server && (target.tool ?? tool) === tool);
}

function instructionsIn(host: Host): readonly string[] {
  return host
    .problems()
    .flatMap(({ code, server }) => (code === 'instructions-changed' && server !== undefined ? [server] : []));
}

const oddities: ReadonlySet<Problem['code']> = new Set([
  'offer-duplicate',
  'offer-refused',
  'schema-too-deep',
  'instructions-changed',
]);

/** Instructions and duplicate names concern a server as a whole, so a tool name does not filter them. */
function isOddity({ code, server }: Problem, targets: readonly PinTarget[]): boolean {
  if (!oddities.has(code)) return false;
  return targets.length === 0 || targets.some((target) => target.server === server);
}

function oddityLines({ server = '', message, remedy }: Problem, style: Style): readonly string[] {
  return [
    `${style.yellow('odd')}      ${escapeLine(server)}: ${escapeLine(message)}`,
    ...(remedy === undefined ? [] : [`  ${escapeLine(remedy)}`]),
  ];
}

function readPinned({ machine, now }: CommandContext): Promise<readonly PinnedRow[]> {
  return createPinReviewer({ store: createPinFile(machine, { now }), now }).list();
}

function pinnedLines(pinned: readonly PinnedRow[], { columns }: Style): readonly string[] {
  if (pinned.length === 0) return ['Nothing is pinned yet: a server’s tools are when they are first listed.'];
  const rows = pinned.map(({ server, tools }) => {
    const seen = tools.map((tool) => tool.seen).toSorted();
    return [escapeLine(server), String(tools.length), seen.at(-1) ?? '–'];
  });
  return [...formatTable([['SERVER', 'TOOLS', 'LAST SEEN'], ...rows], columns), ''];
}

function withheldLines(withheld: readonly WithheldTool[], verb: Verb, style: Style): readonly string[] {
  if (withheld.length === 0) return ['No tool has changed.'];
  const names = [...new Set(withheld.map(({ server }) => escapeLine(nameWord(server))))];
  const advice = `Accept what you have read: holt pin accept ${names.length === 1 ? names.join('') : 'SERVER[.TOOL]'}`;
  return [
    ...withheld.flatMap((tool) => changeLines(tool, style)),
    ...(verb === 'list' ? ['', advice] : [advice]),
  ];
}

function changeLines({ server, tool, changes }: WithheldTool, style: Style): readonly string[] {
  return [
    `${style.yellow('changed')}  ${escapeLine(server)}.${escapeLine(tool)}`,
    ...changes.map((line) => `  ${paintOf(line, style)(escapeLine(line))}`),
  ];
}

function paintOf(line: string, style: Style): (text: string) => string {
  if (line.startsWith('+ ')) return style.green;
  return line.startsWith('- ') ? style.red : style.dim;
}

function acceptedLines({ accepted, instructed }: PinData, style: Style): readonly string[] {
  if (accepted.length + instructed.length === 0) return ['Nothing had changed.'];
  return [
    ...accepted.flatMap(({ server, tool, changes }) => [
      `${style.green('accepted')}  ${escapeLine(server)}.${escapeLine(tool)}`,
      ...changes.map((line) => `  ${paintOf(line, style)(escapeLine(line))}`),
    ]),
    ...instructed.map((server) => `${style.green('accepted')}  the instructions of ${escapeLine(server)}`),
  ];
}

export interface PinTarget {
  readonly server: string;
  /** Undefined means all tools. */
  readonly tool: string | undefined;
}

/**
 * Names may contain dots: the whole word is tried as a server first, then the longest server name before a
 * dot.
 */
export function findPinTarget(word: string, servers: readonly string[]): PinTarget {
  if (servers.includes(word)) return { server: word, tool: undefined };
  const [owner] = servers
    .filter((server) => word.startsWith(`${server}.`) && word.length > server.length + 1)
    .toSorted((left, right) => right.length - left.length);
  if (owner !== undefined) return { server: owner, tool: word.slice(owner.length + 1) };
  // No such server; the later lookup reports that. A shadowed server has its agent in the name.
  const [, server = word, tool] = /^([^.]*@[^.]*)\.(.+)$/s.exec(word) ?? [];
  return { server, tool };
}
