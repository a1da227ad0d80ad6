/** Everything that starts or ends servers. It is a bundle of its own: commands that only read do not carry it. */

export { ps, reap } from './process-commands.ts';
export { logs } from './logs.ts';
export { status, test } from './status.ts';
export { tryEntry } from './try-entry.ts';
