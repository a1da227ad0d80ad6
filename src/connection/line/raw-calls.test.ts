/** A call that is called off before it is sent reaches no server. */

import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';

import { createRawCalls } from './raw-calls.ts';

test('a call that is called off before it begins is not sent', async () => {
  const sent: JSONRPCMessage[] = [];
  const calls = createRawCalls((message) => {
    sent.push(message);
    return Promise.resolve();
  });
  const stopped = {
    onprogress: () => undefined,
    onStop: (stop: (reason: unknown) => void) => stop('enough'),
  };
  await expect(calls.call('tools/call', {}, stopped)).rejects.toBe('enough');
  expect(sent).toEqual([]);
});
