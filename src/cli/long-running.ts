/** Commands that run until they are stopped. Their own bundle, so that no other command loads them. */

export { openService } from '../api/open-service.ts';
export { startRepl } from '../repl/start-repl.ts';
