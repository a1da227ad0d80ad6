/** The default remedy for each error code, for errors without their own. Every failure shows a remedy. */

import type { ErrorCode, ErrorDetails, HoltError } from '../kernel/errors.ts';
import { nameWord } from '../kernel/shell-words.ts';

type Remedies = { readonly [Code in ErrorCode]: (details: ErrorDetails[Code]) => string };

/** The name was already resolved, so it is safe to quote it in the suggested command. */
const remedies: Remedies = {
  'usage-invalid': () => 'Add --help to see the usage.',
  'server-not-found': () => 'Run holt list to see all servers.',
  'server-ambiguous': ({ matches }) => `Specify one: ${matches.join(' or ')}.`,
  'agent-unknown': () => 'Run holt doctor -v to see all agents.',
  'trust-required': ({ server, reason }) =>
    reason === 'blocked'
      ? 'Ask who set that rule.'
      : `Look at it and approve it with holt trust ${nameWord(server)}.`,
  'secret-unresolved': ({ server, field }) =>
    `holt get ${nameWord(server)} shows where "${field}" is written.`,
  'secret-input-needed': () => 'Run it at a terminal, so that holt can ask you.',
  'program-missing': () => 'Install it, or write its full path.',
  'config-invalid': ({ file }) =>
    file === undefined ? 'Fix what the message names and try again.' : `Fix ${file} and try again.`,
  'config-unwritable': ({ file }) => `Check the permissions of ${file}.`,
  'config-not-ours': ({ server }) => `holt get ${nameWord(server)} shows where it is defined.`,
  'server-exists': () => 'Choose another name.',
  'agent-not-writable': ({ writable }) => `holt writes for: ${writable.join(', ')}.`,
  'scope-unavailable': ({ scopes }) => `It has: ${scopes.join(', ')}.`,
  'undo-empty': () => 'holt undoes only its own changes.',
  'folder-unsafe': ({ folder }) => `Check the permissions of ${folder}.`,
  'lock-busy': () => 'Try again when the other holt process has finished.',
  'illegal-transition': () => faultOfOurs,
  'connect-failed': tryAlone,
  'connect-timeout': tryAlone,
  'spawn-failed': ({ server }) => `holt get ${nameWord(server)} shows what it would run.`,
  'server-exited': ({ server }) => `See holt logs ${nameWord(server)}.`,
  'frame-too-large': () => 'Request less data at a time, or raise limits.messageBytes.',
  'frame-too-complex': () => 'Request less data at a time, or raise limits.messageNodes.',
  'queue-full': () => 'Try again when the server has caught up.',
  'connection-lost': ({ server }) => `Try again; holt test ${nameWord(server)} shows how far it gets.`,
  'session-lost': () => 'Try again.',
  'call-timeout': () => 'Give the call more time if it needs longer.',
  'protocol-violation': ({ server }) => `This is a fault in the server. See holt logs ${nameWord(server)}.`,
  'auth-required': ({ server }) => `Log in with holt auth ${nameWord(server)}.`,
  'auth-failed': ({ server }) => `Try again with holt auth ${nameWord(server)}.`,
  'auth-timeout': () => 'Please try again.',
  'auth-unsupported': ({ server }) => `holt get ${nameWord(server)} shows its definition.`,
  'client-registration-needed': () => 'Register a client there and set oauth.clientId.',
  'credentials-unavailable': () => 'Unlock the store, or choose another with credentialStore.',
  'tool-not-found': () => 'Run holt tools to see all tools.',
  'tool-ambiguous': ({ matches }) => `Specify one: ${matches.join(' or ')}.`,
  'arguments-invalid': () => 'holt tools shows what each tool takes.',
  'call-denied': ({ rule }) =>
    rule === 'hook'
      ? 'Change the hook if the call is meant to be made.'
      : 'holt policy explain TOOL shows which rule decides.',
  'tool-changed': ({ server }) => `Look at it with holt pin diff ${nameWord(server)}.`,
  'call-aborted': () => 'Call the tool again if you still need the result.',
  'request-failed': ({ server }) => `This is the server’s own answer. See holt logs ${nameWord(server)}.`,
  'server-disabled': ({ server }) => `Run holt enable ${nameWord(server)} first.`,
  'host-closed': () => 'Open another host.',
  'internal-error': () => faultOfOurs,
  interrupted: () => 'Run it again to start over.',
};

const faultOfOurs = 'This is a fault in holt. --debug shows where it comes from.';

function tryAlone({ server }: { readonly server: string }): string {
  return `holt test ${nameWord(server)} shows how far it gets.`;
}

export function remedyOf<Code extends ErrorCode>({ code, details, remedy }: HoltError<Code>): string {
  return remedy ?? remedies[code](details);
}
