/** Determines how a user on another machine reaches this one, for a command that they can copy. */

import os from 'node:os';

export interface SshTarget {
  /** `ada@192.0.2.7` */
  readonly login: string;
  /** Set only when it is not port 22. */
  readonly port?: number;
}

export interface SessionFacts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly hostName: string;
  readonly userName: string | undefined;
}

/** The command goes into a shell, so the user has to fill in anything unusual. */
const harmless = /^[\w.:%-]+$/;

export function describeSshTarget({ env, hostName, userName }: SessionFacts): SshTarget {
  // The address the user connected to is known to work for them; the machine's own host name may not.
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
    // In a container, the user may not have a name.
    return undefined;
  }
}
