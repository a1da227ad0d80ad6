/** How somebody at another machine reaches this one, for a line they can copy. */

import os from 'node:os';

export interface SshTarget {
  /** `ada@192.0.2.7` */
  readonly login: string;
  /** Set when it is not the usual one. */
  readonly port?: number;
}

export interface SessionFacts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly hostName: string;
  readonly userName: string | undefined;
}

/** What the line says goes to a shell: anything unusual is left for the person to fill in. */
const harmless = /^[\w.:%-]+$/;

export function describeSshTarget({ env, hostName, userName }: SessionFacts): SshTarget {
  // The address the person came in by is one that works for them; a host's own name may not.
  const [, , address, port] = (env['SSH_CONNECTION'] ?? '').split(' ');
  const host = [address, hostName].find((name) => name !== undefined && harmless.test(name)) ?? 'HOST';
  const user = userName !== undefined && harmless.test(userName) ? userName : 'USER';
  const number = Number(port);
  const isOdd = Number.isInteger(number) && number > 0 && number < 65_536 && number !== 22;
  return { login: `${user}@${host}`, ...(isOdd ? { port: number } : {}) };
}

export function readSessionFacts(env: SessionFacts['env']): SessionFacts {
  return { env, hostName: os.hostname(), userName: env['USER'] ?? env['LOGNAME'] ?? systemUser() };
}

function systemUser(): string | undefined {
  try {
    return os.userInfo().username;
  } catch {
    // A container may run as somebody who has no name.
    return undefined;
  }
}
