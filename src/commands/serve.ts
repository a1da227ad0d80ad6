/** `holt serve`: runs the HTTP API with its events until Ctrl-C or SIGTERM. */

import { escapeLine } from '../masking/escape-text.ts';
import { openUrl } from '../platform/processes/open-url.ts';
import { aborted } from '../platform/waits.ts';
import {
  type CommandContext,
  type CommandInput,
  defineCommand,
  type RunningService,
  type ServiceRequest,
  usage,
  valueOf,
} from './command.ts';
import { warnOfFiles, warnOfHost } from './diagnosis/host-warnings.ts';

interface ServeData {
  readonly url: string;
}

const usualPort = 7420;

export const serve = defineCommand<ServeData>({
  name: 'serve',
  summary: 'Serve the HTTP API and its events',
  usage: 'serve [--port 7420] [--host 127.0.0.1] [--socket PATH] [--open]',
  options: {
    port: { type: 'value', placeholder: 'PORT', summary: 'listen at this port; 0 takes any that is free' },
    host: {
      type: 'value',
      placeholder: 'ADDRESS',
      summary: 'listen at this address instead of loopback; needs a token of yours',
    },
    socket: {
      type: 'value',
      placeholder: 'PATH',
      summary: 'listen at a unix socket instead',
      completes: 'files',
    },
    'token-file': {
      type: 'value',
      placeholder: 'FILE',
      summary: 'take the token from this file',
      completes: 'files',
    },
    'token-env': { type: 'value', placeholder: 'NAME', summary: 'take the token from this variable' },
    open: { type: 'flag', summary: 'open the page of the API in the browser' },
  },

  async run(input, context) {
    const { openService } = context;
    if (openService === undefined)
      throw usage('holt serve cannot run inside a session', 'Run it from a shell.');
    if (input.positionals.length > 0)
      throw usage('holt serve takes no names', 'holt serve --help shows its options.');
    const at = readPlace(input);
    const token = readToken(input, context);
    const interrupted = context.interrupted({ endsByTerm: true });
    // The parent process may have left files open that servers must not inherit.
    context.closeInherited();
    const { openHostWith } = await import('../host/open-host.ts');
    const service = await openService({
      at,
      token,
      host: context.hostOptions(),
      openHost: async (options) => {
        const opened = await openHostWith(options, {});
        warnOfHost(opened.host, { warn: context.warn, hasToasts: false });
        await opened.ready();
        warnOfFiles(opened.host.problems(), context.warn);
        return opened;
      },
    });
    void service.host.connect();
    try {
      await welcome(service, at, { input, context });
      await aborted(interrupted);
    } finally {
      await service.close();
    }
    return { url: service.url };
  },

  render: () => [],
  json: ({ url }) => ({ url }),
});

async function welcome(
  service: RunningService,
  at: ServiceRequest['at'],
  { input, context }: { readonly input: CommandInput; readonly context: CommandContext },
): Promise<void> {
  const isTcp = at.kind === 'tcp';
  context.print([
    `holt serves its API at ${isTcp ? service.url : escapeLine(at.path)}`,
    ...(isTcp ? [`  ${service.url}/openapi.json describes it`] : []),
    `The token is in ${escapeLine(service.runFile)}. Ctrl-C ends it.`,
  ]);
  if (!input.flags.has('open') || !isTcp) return;
  const link = service.link();
  if (!(await openUrl(link, context.machine)))
    context.print([
      `No browser could be opened here. Open ${link} by hand; its code works once, within 60 seconds.`,
    ]);
}

function readPlace(input: CommandInput): ServiceRequest['at'] {
  const socket = valueOf(input, 'socket');
  const host = valueOf(input, 'host');
  const port = valueOf(input, 'port');
  if (socket === undefined) return { kind: 'tcp', host: host ?? '127.0.0.1', port: readPort(port) };
  if (host !== undefined || port !== undefined)
    throw usage('--socket cannot be combined with --host or --port', 'Leave one or the other out.');
  return { kind: 'socket', path: socket };
}

function readPort(text: string | undefined): number {
  if (text === undefined) return usualPort;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw usage(`Invalid port "${text}"`, 'A port is a number from 0 to 65535.', text);
}

/** Reads the token. It is never an argument, because other processes can read those. */
function readToken(input: CommandInput, context: CommandContext): string | undefined {
  const file = valueOf(input, 'token-file');
  const name = valueOf(input, 'token-env');
  if (file === undefined && name === undefined) return undefined;
  const token = file === undefined ? context.machine.env[name ?? ''] : context.readText(file)?.trim();
  if (token !== undefined && token !== '') return token;
  const where = file ?? name ?? '';
  throw usage(`There is no token in ${where}`, 'Check --token-file or --token-env.', where);
}
