/** Starts a server once, right after its entry was written. */

import type { CommandContext } from '../command.ts';
import { test } from '../status.ts';
import type { TriedEntry } from './write-entry.ts';

export async function tryEntry(
  { server, file }: { readonly server: string; readonly file: string },
  context: CommandContext,
): Promise<TriedEntry> {
  // Another file may win the name, so look for the entry of this file.
  const { servers, shadowed } = await context.reloadRoster();
  const entry = [...servers, ...shadowed].find(
    ({ definition: { name, origin } }) => name === server && origin.file === file,
  );
  const ref = entry?.ref ?? server;
  await context.sharedHost?.reload();
  const input = { positionals: [ref], flags: new Set<string>(), values: {}, rest: undefined };
  const row = await test.run(input, withoutFolderQuestion(context));
  return {
    server: ref,
    works: row.report.status.status === 'connected',
    lines: test.render(row, context.style),
  };
}

/**
 * This start only shows whether the entry works. The question about the folder belongs to the first normal
 * start.
 */
function withoutFolderQuestion(context: CommandContext): CommandContext {
  return {
    ...context,
    hostOptions: () => {
      const options = context.hostOptions();
      return { ...options, interaction: { ...options.interaction, confirmFolder: undefined } };
    },
  };
}
