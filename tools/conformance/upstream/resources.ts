/** Resources of the suite, a template, and subscriptions of the stateful era. */

import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/server';

import { image } from './content.ts';

export function addResources(server: McpServer, era: 'stateful' | 'stateless'): void {
  const plain = { mimeType: 'text/plain' };
  server.registerResource(
    'Static text',
    'test://static-text',
    { ...plain, description: 'A text that never changes' },
    ({ href }) => ({
      contents: [{ uri: href, ...plain, text: 'This is the content of the static text resource.' }],
    }),
  );
  server.registerResource(
    'Static binary',
    'test://static-binary',
    { mimeType: image.mimeType, description: 'An image that never changes' },
    ({ href }) => ({ contents: [{ uri: href, mimeType: image.mimeType, blob: image.data }] }),
  );
  server.registerResource(
    'Watched resource',
    'test://watched-resource',
    { ...plain, description: 'A text to subscribe to' },
    ({ href }) => ({ contents: [{ uri: href, ...plain, text: 'Watched.' }] }),
  );
  server.registerResource(
    'Template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { mimeType: 'application/json', description: 'Data for an id' },
    ({ href }, { id }) => {
      const data = { id, templateTest: true, data: `Data for ID: ${String(id)}` };
      return { contents: [{ uri: href, mimeType: 'application/json', text: JSON.stringify(data) }] };
    },
  );
  if (era === 'stateful') {
    server.server.setRequestHandler('resources/subscribe', () => ({}));
    server.server.setRequestHandler('resources/unsubscribe', () => ({}));
  }
}
