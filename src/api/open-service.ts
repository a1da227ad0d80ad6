/** Opens the service: creates the host and the listener, and connects everything in between. */

import { randomBytes } from 'node:crypto';
import path from 'node:path';

import type { Host, HostOptions } from '../host/host.ts';
import type { OpenedHost } from '../host/open-host.ts';
import { realClock } from '../platform/clock.ts';
import {
  listenHttp,
  localAddresses,
  type HttpServer,
  type ListenPlace,
} from '../platform/listeners/http-server.ts';
import { readMachine } from '../platform/machine-facts.ts';
import { openUrl } from '../platform/processes/open-url.ts';
import { prepareSocketFile, removeSocketFile } from '../platform/listeners/socket-file.ts';
import { createRequestAnswerer, type RequestAnswerer } from './answer-requests.ts';
import { eventNames } from './contract/catalog-schemas.ts';
import { createEventFeed, type EventFeed } from './event-feed.ts';
import { createFailures, createOneTimeCodes, createTokens, type Tokens } from './access/tokens.ts';
import { hostsOf } from './access/origins.ts';
import { allHandlers } from './handlers/all-handlers.ts';
import { questionView } from './handlers/service.ts';
import { createMetrics, watchLag } from './metrics.ts';
import { openApiDocument } from './openapi.ts';
import { welcomePage } from './page.ts';
import { createQuestions, type Questions } from './questions.ts';
import { requireSafePlace, urlOf, writeRunFile } from './service-place.ts';
import { malformedReply } from './status-codes.ts';

export interface ServiceOptions {
  readonly at: ListenPlace;
  /** Chosen by the user. Without it the service accepts only this machine. */
  readonly token?: string | undefined;
  readonly host: HostOptions;
  readonly version: string;
  /** Receives internal errors. Their details are not sent to clients. */
  readonly onFault?: ((error: unknown) => void) | undefined;
  /** Passed in, so that the service opens the same host as commands do. */
  readonly openHost: (options: HostOptions) => Promise<OpenedHost>;
}

export interface Service {
  readonly host: Host;
  readonly url: string;
  readonly runFile: string;
  /** Returns the URL of the page with a new one-time code. */
  link(): string;
  /** Waits for running requests, aborts those that take longer than ten seconds, and closes the host. */
  close(): Promise<void>;
}

const httpLimits = {
  headerBytes: 16 << 10,
  headersMs: 10_000,
  requestMs: 40_000,
  connections: 1024,
} as const;
/** How long running requests may continue after `close` is called. */
const graceMs = 10_000;
const now = (): number => realClock.now();
const setTimer = (ms: number, fire: () => void): (() => void) =>
  realClock.setTimer(ms, fire, { background: true });

const refusal = (status: number): string => JSON.stringify(malformedReply(status).body);

export async function openService(options: ServiceOptions): Promise<Service> {
  requireSafePlace(options.at, options.token);
  const machine = readMachine(options.host);
  const at: ListenPlace =
    options.at.kind === 'tcp'
      ? options.at
      : { kind: 'socket', path: await prepareSocketFile(options.at.path) };
  const late: Late = { feed: undefined };
  const questions = createLateQuestions(late);
  const opened = await options.openHost({
    ...options.host,
    watch: true,
    interaction: {
      askPermission: (question) => questions.ask(question),
      openUrl: (url) => openUrl(url, machine),
    },
  });
  const { host } = opened;
  const feed = feedOf(host);
  late.feed = feed;
  const tokens = createTokens({ randomBytes, given: options.token });
  const codes = createOneTimeCodes({ now, randomBytes });
  const ends: (() => void | Promise<void>)[] = [];
  try {
    const { answerer, place, cutOff } = wireAnswers({ options, opened, feed, questions, tokens, codes });
    const server = await listenHttp(at, { limits: httpLimits, onRequest: answerer.onRequest, refusal });
    ends.push(() => {
      answerer.refuseNew();
      questions.close();
      feed.close();
      return drain(server, cutOff);
    });
    const url = urlOf(at, server.port);
    const where = at.kind === 'tcp' ? server.port : at.path;
    const startedAt = new Date().toISOString();
    const run = await writeRunFile({ at: where, url, tokens, startedAt }, machine);
    ends.push(() => run.remove());
    place.runFile = run.file;
    if (at.kind === 'tcp')
      place.hosts = hostsOf({ host: at.host, port: server.port, addresses: localAddresses() });
    const close = once(() => endAll(ends, host, at));
    return { host, url, runFile: run.file, link: () => `${url}/#c=${codes.issue()}`, close };
  } catch (error) {
    await endAll(ends, host, at);
    throw error;
  }
}

/** Set after the host is open, because the host may ask questions before that. */
interface Late {
  feed: EventFeed | undefined;
}

function createLateQuestions(late: Late): Questions {
  return createQuestions({
    newId: () => randomBytes(12).toString('base64url'),
    setTimer,
    hasAnswerer: () => late.feed?.hasAnswerer() === true,
    onAsked: (question) => late.feed?.sendToAnswerers('question', questionView(question)),
    onAnswered: (question) => late.feed?.sendToAnswerers('answered', { question }),
  });
}

function feedOf(host: Host): EventFeed {
  return createEventFeed({
    onEvent: (listener) => {
      const stops = eventNames.map((name) => host.on(name, (event) => listener(name, event)));
      return () => {
        for (const stop of stops) stop();
      };
    },
    status: () => host.status(),
    wallNow: Date.now,
    setTimer,
    soon: (work) => void setImmediate(work),
  });
}

interface Wiring {
  readonly options: ServiceOptions;
  readonly opened: OpenedHost;
  readonly feed: EventFeed;
  readonly questions: Questions;
  readonly tokens: Tokens;
  readonly codes: ReturnType<typeof createOneTimeCodes>;
}

interface Wired {
  readonly answerer: RequestAnswerer;
  /** Set once the port is known; until then a TCP service refuses every request. */
  readonly place: { hosts: ReadonlySet<string>; runFile: string };
  /** Aborts the requests that are still running. */
  readonly cutOff: () => void;
}

function wireAnswers({ options, opened, feed, questions, tokens, codes }: Wiring): Wired {
  const { host } = opened;
  const metrics = createMetrics();
  const lag = watchLag();
  const startedAt = now();
  const failures = createFailures(now);
  const cut = new AbortController();
  const place = { hosts: new Set(options.at.kind === 'tcp' ? [] : ['localhost']), runFile: '' };
  host.on('mcp.tool.called', ({ server, ok, ms }) => metrics.toolCall(server, ok, ms));
  const answerer = createRequestAnswerer({
    handlers: allHandlers({
      opened,
      machine: readMachine(options.host),
      hostOptions: options.host,
      feed,
      questions,
      codes,
      failures,
      token: tokens.all.trust,
      openApi: openApiDocument(options.version),
      page: () => welcomePage(path.basename(place.runFile)),
      metrics: () =>
        metrics.text({
          status: host.status(),
          inFlight: answerer.inFlight(),
          feed: feed.counts,
          loopLagMs: lag.read(),
          uptimeMs: now() - startedAt,
        }),
    }),
    hosts: () => place.hosts,
    tokens,
    failures,
    now,
    onAnswered: (route, status, ms) => metrics.request(route, status, ms),
    onFault: options.onFault ?? (() => undefined),
    cutOff: cut.signal,
  });
  return {
    answerer,
    place,
    cutOff: () => {
      lag.stop();
      cut.abort(new DOMException('the service is closing', 'AbortError'));
    },
  };
}

/** Waits for running requests, then aborts them, and finally destroys their connections. */
async function drain(server: HttpServer, cutOff: () => void): Promise<void> {
  const stopped = server.stop();
  const isLate = (ms: number): Promise<boolean> =>
    Promise.race([
      stopped.then(() => false),
      new Promise<boolean>((resolve) => {
        setTimer(ms, () => resolve(true));
      }),
    ]);
  const late = await isLate(graceMs);
  cutOff();
  if (late && (await isLate(1000))) server.destroy();
  await stopped;
}

async function endAll(
  ends: readonly (() => void | Promise<void>)[],
  host: Host,
  at: ListenPlace,
): Promise<void> {
  for (const end of ends) await end();
  await host.close();
  if (at.kind === 'socket' && ends.length > 0) await removeSocketFile(at.path);
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}
