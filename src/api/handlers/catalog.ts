/** Routes for what servers offer: tools, resources, prompts, and calls with their progress. */

import type { Host } from '../../host/host.ts';
import type { HttpStream } from '../../platform/listeners/http-server.ts';
import type { Attachment, ToolResult } from '../../results/tool-result.ts';
import { frame } from '../event-feed.ts';
import { errorReply } from '../status-codes.ts';
import { type Handlers, headerOf, type RouteCall, Streamed } from './handler.ts';

type Mine = Extract<
  keyof Handlers,
  `${string} /tools${string}` | `${string} /resources${string}` | `${string} /prompts${string}`
>;

/** While a slow client has this many unread bytes, progress is not sent; later progress supersedes it. */
const mostProgressBytes = 64 << 10;

export function catalogHandlers(host: Host): Pick<Handlers, Mine> {
  return {
    'GET /tools': async ({ query: { search, server, limit, wait } }) => {
      const all = await host.tools({ server, wait });
      const errors = host.listErrors('tools', { server });
      if (search === undefined || search.trim() === '')
        return { tools: limit === undefined ? all : all.slice(0, limit), errors };
      const matches = await host.searchTools(search, { server, limit });
      return { tools: matches.map(({ tool, score }) => ({ ...tool, score })), errors };
    },
    'POST /tools/:name/call': (call) => {
      const accepts = headerOf(call, 'accept') ?? '';
      return accepts.includes('text/event-stream') ? streamCall(call, host) : callTool(call, host);
    },
    'GET /resources': async ({ query }) => {
      const resources = await host.resources(query);
      const templates = await host.resourceTemplates(query);
      return { resources, templates, errors: host.listErrors('resources', query) };
    },
    'GET /resources/read': ({ query: { server, uri }, signal }) => host.readResource(server, uri, { signal }),
    'GET /prompts': async ({ query }) => {
      const prompts = await host.prompts(query);
      return { prompts, errors: host.listErrors('prompts', query) };
    },
    'POST /prompts/get': ({ body, signal }) =>
      host.prompt(body.server, body.name, body.arguments ?? {}, { signal }),
  };
}

type ToolCall = RouteCall<'POST /tools/:name/call'>;
type OnProgress = NonNullable<NonNullable<Parameters<Host['call']>[2]>['onProgress']>;

async function callTool({ params, body, signal }: ToolCall, host: Host, onProgress?: OnProgress) {
  const options = { signal, timeoutMs: body.timeoutMs, onProgress };
  return resultView(await host.call(params.name, body.arguments ?? {}, options));
}

/** The status line is sent before the outcome is known, so an error is sent as a message. */
function streamCall(call: ToolCall, host: Host): Streamed {
  return new Streamed(async (stream: HttpStream) => {
    try {
      const result = await callTool(call, host, (progress) => {
        if (stream.backlogBytes < mostProgressBytes) stream.write(frame('progress', progress));
      });
      stream.write(frame('result', result));
    } catch (error) {
      stream.write(frame('error', errorReply(error).body));
    }
    stream.end();
  });
}

type Block = ToolResult['content'][number];

export function resultView(
  result: ToolResult,
): Omit<ToolResult, 'content'> & { readonly content: unknown[] } {
  const { attachments } = result;
  return { ...result, content: result.content.map((block) => blockView(block, attachments)) };
}

/** `attachment` is the index of the bytes in `attachments`. */
function blockView(block: Block, attachments: readonly Attachment[]): unknown {
  if (block.type === 'image' || block.type === 'audio') {
    const { data, ...others } = block;
    return referTo(data, others, attachments) ?? block;
  }
  if (block.type !== 'resource' || !('blob' in block.resource)) return block;
  const { blob, ...others } = block.resource;
  const resource = referTo(blob, others, attachments);
  return resource === undefined ? block : { ...block, resource };
}

function referTo(data: string, others: object, attachments: readonly Attachment[]): object | undefined {
  const attachment = attachments.findIndex((each) => each.data === data);
  return attachment === -1 ? undefined : { ...others, attachment };
}
