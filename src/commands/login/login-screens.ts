/** The text shown during a login: where to go, what to enter, how to return. */

import type { DeviceCode } from '../../kernel/interaction.ts';
import { escapeLine } from '../../masking/escape-text.ts';
import type { SshTarget } from '../../platform/remote-session.ts';

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
