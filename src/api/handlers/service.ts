/** Routes of the service itself: policy, trust, problems, events, metrics, and the page. */

import type { JsonObject } from '../../kernel/json.ts';
import type { Host } from '../../host/host.ts';
import type { Problem } from '../../kernel/problems.ts';
import { icon } from '../page.ts';
import type { EventFeed } from '../event-feed.ts';
import type { Failures, OneTimeCodes } from '../access/tokens.ts';
import type { OpenQuestion, Questions } from '../questions.ts';
import type { TrustDecisions } from '../trust-decisions.ts';
import type { ServerHandlerParts } from './servers.ts';
import { headerOf, Streamed, type Handlers } from './handler.ts';

export interface ServiceHandlerParts {
  readonly host: Host;
  readonly entryOf: ServerHandlerParts['entryOf'];
  readonly trust: TrustDecisions;
  /** What `holt doctor` reports, and what only the running host knows. */
  readonly problems: () => Promise<readonly Problem[]>;
  readonly feed: EventFeed;
  readonly questions: Questions;
  readonly codes: OneTimeCodes;
  readonly failures: Failures;
  /** The token that a one-time code is exchanged for. */
  readonly token: string;
  readonly metrics: () => string;
  readonly openApi: JsonObject;
  readonly page: () => string;
}

type Mine = Exclude<
  keyof Handlers,
  | `${string} /mcp${string}`
  | `${string} /tools${string}`
  | `${string} /resources${string}`
  | `${string} /prompts${string}`
>;

export function serviceHandlers(parts: ServiceHandlerParts): Pick<Handlers, Mine> {
  const { host, entryOf, trust, problems, feed, questions, codes, failures } = parts;
  return {
    'GET /policy': async ({ scopes }) => {
      const tools = await host.tools({ wait: 'cached' });
      return {
        tools: await Promise.all(tools.map(({ name }) => host.explain(name))),
        withheld: host.withheld(),
        questions: scopes.has('trust') ? questions.open().map(questionView) : [],
      };
    },
    'POST /trust': async ({ body }) => {
      if ('question' in body) {
        questions.answer(body.question, body.answer);
        return { question: body.question, answer: body.answer };
      }
      const { ref, definition } = await entryOf(body.server);
      await trust.decide(definition, body);
      await host.reload();
      return { server: ref, trust: trust.stateOf(definition) };
    },
    'GET /problems': async () => ({ problems: await problems() }),
    'POST /reload': () => host.reload(),
    'GET /events': (call) =>
      new Streamed((stream) =>
        feed.subscribe({
          stream,
          lastEventId: headerOf(call, 'last-event-id'),
          mayAnswer: call.scopes.has('trust'),
        }),
      ),
    'GET /metrics': () => parts.metrics(),
    'GET /openapi.json': () => parts.openApi,
    'GET /health': () => ({ ok: true }),
    'GET /': () => parts.page(),
    'GET /icon.svg': () => icon,
    'POST /session': ({ body: { code } }) => {
      if (!codes.redeem(code)) throw failures.refuse(code);
      return { token: parts.token };
    },
  };
}

export function questionView({ question, server, tool, name, title, reason, ...rest }: OpenQuestion) {
  return {
    question,
    server,
    tool,
    name,
    ...(title === undefined ? {} : { title }),
    arguments: rest.arguments,
    reason,
  };
}
