/** `holt repl`: a session with all servers, until Ctrl-D. */

import { HoltError } from '../kernel/errors.ts';
import { defineCommand } from './command.ts';
import { printListWarnings } from './list-warnings.ts';
import { tellRuleWarnings } from './rule-warnings.ts';

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
          ? ['This is a session already', 'Type the command itself; /help lists them.']
          : ['holt repl takes no words', 'Write holt repl.'];
      throw new HoltError('usage-invalid', message, { given: positionals.join(' ') }, { remedy });
    }
    // Whoever started us may have left files open; servers must not have them.
    context.closeInherited();
    const { openHostWith } = await import('../host/open-host.ts');
    await openRepl(async (person) => {
      const { host, ready } = await openHostWith({ ...context.hostOptions(), ...person, watch: true }, {});
      tellRuleWarnings(host, (text) => person.interaction?.toast?.({ level: 'warning', text }));
      printListWarnings(host, (text) => person.interaction?.toast?.({ level: 'warning', text }));
      await ready();
      return host;
    });
    return null;
  },
  render: () => [],
  json: () => ({}),
});
