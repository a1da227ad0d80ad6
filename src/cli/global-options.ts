/** Options that every command takes. */

import type { OptionSpec } from '../commands/command.ts';

export const globalOptions = {
  json: { type: 'flag', summary: 'print one JSON document and nothing else' },
  cwd: {
    type: 'value',
    placeholder: 'DIR',
    summary: 'work as if started in this folder',
    completes: 'files',
  },
  home: {
    type: 'value',
    placeholder: 'DIR',
    summary: 'take this folder for the home folder',
    completes: 'files',
  },
  quiet: { type: 'flag', short: 'q', summary: 'say only what was asked for' },
  verbose: { type: 'flag', short: 'v', summary: 'say more' },
  debug: { type: 'flag', summary: 'show where an error comes from' },
  'trust-digest': {
    type: 'value',
    placeholder: 'DIGEST',
    repeatable: true,
    summary: 'approve the entry with this digest for this run',
  },
  example: { type: 'flag', summary: 'add the example server that comes with holt' },
  help: { type: 'flag', short: 'h', summary: 'show help' },
  version: { type: 'flag', short: 'V', summary: 'show the version' },
} as const satisfies Readonly<Record<string, OptionSpec>>;
