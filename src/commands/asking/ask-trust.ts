/** Runs work that may need a server which is not approved, and asks at the terminal if so. */

import { HoltError } from '../../kernel/errors.ts';
import type { CommandContext } from '../command.ts';

/**
 * `ask` connects the server, which asks for approval. The work is then retried, whatever the answer, so that
 * its own error explains what is missing.
 */
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
