/** What goes on until it is told to end. It is a bundle of its own: no other command carries it. */

export { openService } from '../api/open-service.ts';
export { startRepl } from '../repl/start-repl.ts';
