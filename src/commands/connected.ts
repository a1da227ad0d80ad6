/** Everything that starts or ends servers. It is a bundle of its own: commands that only read do not carry it. */

export { auth, logout, reauth } from './auth.ts';
export { pin } from './pin.ts';
export { policy } from './policy.ts';
export { ps, reap } from './process-commands.ts';
export { call } from './call.ts';
export { logs } from './logs.ts';
export { prompt, prompts } from './prompts.ts';
export { read, resources } from './resources.ts';
export { repl } from './repl.ts';
export { serve } from './serve.ts';
export { tools } from './tools.ts';
export { status, test } from './status.ts';
export { tryEntry } from './try-entry.ts';
