/**
 * Handles logins on the command line. URLs and codes are shown without a terminal too, because a person who
 * reads the output can still open them.
 */

import type { DeviceCode, Interaction } from '../kernel/interaction.ts';
import { escapeLine } from '../masking/escape-text.ts';
import { hasBrowser, openUrl } from '../platform/processes/open-url.ts';
import { describeSshTarget, readSessionFacts, type SshTarget } from '../platform/machine-facts.ts';
import type { Person } from './context-io.ts';

type LoginInteraction = Required<Pick<Interaction, 'showDeviceCode' | 'askCallback'>> &
  Pick<Interaction, 'openUrl'>;

/** Omits `openUrl` if there is no browser, because other ways to log in work better then. */
export function createLoginInteraction(person: Person): LoginInteraction {
  const say = (lines: readonly string[]): void => {
    if (lines.length > 0) person.say(`${lines.join('\n')}\n`);
  };
  /** By URL, because one login may ask more than once. */
  const shown = new Set<string>();
  const explained = new Set<string>();
  const opening = new Map<string, Promise<boolean>>();
  const open = (url: string, why: string): Promise<boolean> => {
    say([`Opening your browser to ${escapeLine(why)}. If no page opens, go to:`, `  ${escapeLine(url)}`]);
    shown.add(url);
    const opened = openUrl(url, person);
    opening.set(url, opened);
    return opened;
  };
  return {
    ...(hasBrowser(person) ? { openUrl: open } : {}),
    showDeviceCode: (code) => {
      say(deviceLines(code));
      void showQr(code, person);
    },
    askCallback: async ({ authorizationUrl: url, redirectUri, signal, server }) => {
      // `openUrl` may be called in the same turn of the event loop. Then there is less to print.
      await new Promise((resolve) => setImmediate(resolve));
      const isOpen = await opening.get(url);
      if (signal.aborted) return undefined;
      if (!shown.has(url))
        say([`To log in to "${escapeLine(server)}", open this in a browser:`, `  ${escapeLine(url)}`]);
      if (isOpen !== true && !explained.has(url)) say(forwardLines(redirectUri, sshTarget(person)));
      shown.add(url);
      explained.add(url);
      return readPasted(person, signal);
    },
  };
}

function sshTarget({ env }: Person): SshTarget {
  return describeSshTarget(readSessionFacts(env));
}

/** Only on a terminal. In a pipe it would be noise. */
async function showQr(code: DeviceCode, { isTerminal, columns, say }: Person): Promise<void> {
  const text = scannable(code);
  if (text === undefined || !isTerminal) return;
  const lines = await qrLines(text, { columns: columns?.() ?? 80 });
  if (lines !== undefined) say(`${lines.join('\n')}\n\n`);
}

/** Asks until the pasted text can be an answer, the login completes by itself, or the input ends. */
async function readPasted({ askLong, error }: Person, signal: AbortSignal): Promise<string | undefined> {
  if (askLong === undefined) return undefined;
  for (;;) {
    const line = await askLong('Waiting. You can also paste the final URL, or the code: ', signal);
    const text = line?.trim();
    if (text === undefined || looksPasted(text)) return text;
    if (text !== '') error('No code was found in the pasted text.\n');
  }
}

/** Scripts match these lines, so keep them as they are. */
export function deviceLines({
  server,
  url,
  userCode,
  deviceEndpoint,
  tokenEndpoint,
}: DeviceCode): readonly string[] {
  return [
    `Starting OAuth device flow for MCP server '${escapeLine(server)}'.`,
    ...(deviceEndpoint === undefined ? [] : [`  device endpoint: ${escapeLine(deviceEndpoint)}`]),
    ...(tokenEndpoint === undefined ? [] : [`  token endpoint:  ${escapeLine(tokenEndpoint)}`]),
    '',
    `Visit: ${escapeLine(url)}`,
    `Enter code: ${escapeLine(userCode)}`,
    '',
  ];
}

/**
 * The URL for the QR code. People cannot read a QR code, so it must have the origin of the URL that is
 * printed; otherwise there is none.
 */
export function scannable({ url, completeUrl }: DeviceCode): string | undefined {
  if (completeUrl === undefined || !URL.canParse(completeUrl) || !URL.canParse(url)) return undefined;
  const complete = new URL(completeUrl);
  return complete.origin !== 'null' && complete.origin === new URL(url).origin ? complete.href : undefined;
}

/** The ssh command that forwards a browser on another machine to the listener here. */
export function forwardLines(redirectUri: string, { login, port: sshPort }: SshTarget): readonly string[] {
  const { hostname, port } = new URL(redirectUri);
  if (port === '' || !['127.0.0.1', 'localhost'].includes(hostname)) return [];
  const where = sshPort === undefined ? login : `-p ${sshPort} ${login}`;
  return [
    'If that browser runs on another machine, first run this there:',
    `  ssh -L ${port}:127.0.0.1:${port} ${where}`,
  ];
}

/** Whether pasted text can be the result of a login: a callback URL with an answer, or the bare code. */
export function looksPasted(text: string): boolean {
  if (/^https?:/i.test(text)) {
    if (!URL.canParse(text)) return false;
    const { searchParams } = new URL(text);
    return searchParams.has('code') || searchParams.has('error');
  }
  return text !== '' && !/\s/.test(text);
}

/**
 * A URL as a QR code of half blocks. Undefined if the code does not fit, because a wrapped code cannot be read.
 */
export async function qrLines(
  text: string,
  { columns }: { readonly columns: number },
): Promise<readonly string[] | undefined> {
  const { encode } = await import('uqr');
  const dark = encode(text, { border: 2 }).data;
  if (dark.length === 0 || dark.length > columns) return undefined;
  return Array.from({ length: Math.ceil(dark.length / 2) }, (_, pair) =>
    joinRows(dark[pair * 2] ?? [], dark[pair * 2 + 1] ?? []),
  );
}

/** Draws the light modules and leaves the dark ones blank, which is right on the usual dark terminal. */
function joinRows(upper: readonly boolean[], lower: readonly boolean[]): string {
  return upper
    .map((isDark, column) => {
      const isLowerDark = lower[column] ?? true;
      if (isDark) return isLowerDark ? ' ' : '▄';
      return isLowerDark ? '▀' : '█';
    })
    .join('');
}
