/** `holt repl`: a session with all servers, until Ctrl-D. */

import { isAllowed } from '../trust/trust-state.ts';
import { type CommandContext, defineCommand, usage } from './command.ts';
import { warnOfFiles, warnOfHost } from './diagnosis/host-warnings.ts';

export const repl = defineCommand<null>({
  name: 'repl',
  summary: 'Work with all servers in one session',
  usage: 'repl',
  options: {},

  async run({ positionals }, context) {
    const { openRepl } = context;
    if (openRepl === undefined || positionals.length > 0) {
      const [message, remedy] =
        openRepl === undefined
          ? ['You are already in a session', 'Type the command itself; /help lists them.']
          : ['holt repl takes no words', 'Write holt repl.'];
      throw usage(message, remedy, positionals.join(' '));
    }
    // The parent process may have left files open that servers must not inherit.
    context.closeInherited();
    const { openHostWith } = await import('../host/open-host.ts');
    await openRepl(async (person) => {
      // In a session all servers start in the background, so a question about the folder would come too late
      // for most.
      const interaction = { ...person.interaction, confirmFolder: undefined };
      const options = { ...context.hostOptions(), ...person, interaction, watch: true };
      const { host, ready } = await openHostWith(options, {});
      warnOfHost(host, {
        warn: (text) => person.interaction?.toast?.({ level: 'warning', text }),
        hasToasts: true,
      });
      await ready();
      const { toast } = person.interaction ?? {};
      warnOfFiles(host.problems(), (text) =>
        toast === undefined ? context.warn(text) : toast({ level: 'warning', text }),
      );
      const hint = await folderHint(context);
      if (hint !== undefined) person.interaction?.toast?.({ level: 'info', text: hint });
      return host;
    });
    return null;
  },
  render: () => [],
  json: () => ({}),
});

/** A hint for a folder that the user has not decided on, if own servers of the user would start in it. */
async function folderHint(context: CommandContext): Promise<string | undefined> {
  const { servers, startOf } = await context.loadRoster();
  const isHere = servers.some(
    ({ definition, trust }) =>
      definition.enabled && isAllowed(trust) && startOf(definition)?.why === 'untrusted',
  );
  if (!isHere || context.approvals().folderTrust() !== 'unknown') return undefined;
  return 'This folder is not trusted, so your own servers start in your home folder. /trust --folder starts them here.';
}
