/** What a person sees while they log in: where to go, what to type there, how to come back. */

import type { DeviceCode } from '../kernel/interaction.ts';
import { escapeLine } from '../masking/escape-text.ts';
import type { SshTarget } from '../platform/remote-session.ts';

/** People and scripts know these lines. */
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

/** What a phone may be led to: nobody can read a QR code, so it leads where the words above it lead, or there is none. */
export function scannable({ url, completeUrl }: DeviceCode): string | undefined {
  if (completeUrl === undefined || !URL.canParse(completeUrl) || !URL.canParse(url)) return undefined;
  const complete = new URL(completeUrl);
  return complete.origin !== 'null' && complete.origin === new URL(url).origin ? complete.href : undefined;
}

/** For a browser on another machine: the line that leads it back to the listener here. */
export function forwardLines(redirectUri: string, { login, port: sshPort }: SshTarget): readonly string[] {
  const { hostname, port } = new URL(redirectUri);
  if (port === '' || !['127.0.0.1', 'localhost'].includes(hostname)) return [];
  const where = sshPort === undefined ? login : `-p ${sshPort} ${login}`;
  return [
    'If that browser runs on another machine, first run this there:',
    `  ssh -L ${port}:127.0.0.1:${port} ${where}`,
  ];
}

/** Whether a pasted text can be what a login ends with: the address with an answer in it, or the bare code. */
export function looksPasted(text: string): boolean {
  if (/^https?:/i.test(text)) {
    if (!URL.canParse(text)) return false;
    const { searchParams } = new URL(text);
    return searchParams.has('code') || searchParams.has('error');
  }
  return text !== '' && !/\s/.test(text);
}
