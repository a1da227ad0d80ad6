/** Work that needs a server which is not approved yet: whoever is at the terminal is asked, as by `holt status NAME`. */

import { HoltError } from '../kernel/errors.ts';
import type { CommandContext } from './command.ts';

/** `ask` connects the server, which asks. The work is tried again whatever came of it, and says itself what is missing. */
export async function askingForTrust<Result>(
  { interaction }: Pick<CommandContext, 'interaction'>,
  work: () => Promise<Result>,
  ask: (server: string) => Promise<unknown>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (interaction.confirmTrust === undefined || !HoltError.is(error, 'trust-required')) throw error;
    await ask(error.details.server);
  }
  return work();
}
