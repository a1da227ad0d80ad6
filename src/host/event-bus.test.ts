import { expect, test } from 'vitest';

import { createEventBus } from './event-bus.ts';

function bus() {
  const failures: unknown[] = [];
  return {
    failures,
    ...createEventBus({ wallNow: () => 0, onListenerFailed: (name, error) => failures.push([name, error]) }),
  };
}

test('those who listen to a name hear it, with a time and a growing number', () => {
  const { emit, on } = bus();
  const heard: unknown[] = [];
  on('mcp.tools.changed', (event) => heard.push(event));
  emit('mcp.prompts.changed', { server: 'x' });
  emit('mcp.tools.changed', { server: 'a' });
  emit('mcp.tools.changed', { server: 'b' });
  expect(heard).toEqual([
    { server: 'a', at: '1970-01-01T00:00:00.000Z', id: 2 },
    { server: 'b', at: '1970-01-01T00:00:00.000Z', id: 3 },
  ]);
});

test('who stops listening hears no more, by either way', () => {
  const { emit, on, off } = bus();
  const heard: string[] = [];
  const stop = on('mcp.tools.changed', () => heard.push('first'));
  const second = () => heard.push('second');
  on('mcp.tools.changed', second);
  stop();
  emit('mcp.tools.changed', { server: 'a' });
  off('mcp.tools.changed', second);
  emit('mcp.tools.changed', { server: 'a' });
  expect(heard).toEqual(['second']);
});

test('F54: a listener that throws is told of and the others hear all the same', () => {
  const { emit, on, failures } = bus();
  const heard: string[] = [];
  const error = new Error('no');
  on('mcp.tools.changed', () => {
    throw error;
  });
  on('mcp.tools.changed', () => heard.push('still here'));
  emit('mcp.tools.changed', { server: 'a' });
  expect([heard, failures]).toEqual([['still here'], [['mcp.tools.changed', error]]]);
});

test('F54: a listener whose promise is rejected is told of like one that throws', async () => {
  const { emit, on, failures } = bus();
  const error = new Error('later');
  on('mcp.tools.changed', () => Promise.reject(error));
  on('mcp.tools.changed', () => Promise.resolve());
  emit('mcp.tools.changed', { server: 'a' });
  await Promise.resolve();
  expect(failures).toEqual([['mcp.tools.changed', error]]);
});

test('nobody hears anything after the end', () => {
  const { emit, on, close } = bus();
  const heard: string[] = [];
  on('mcp.tools.changed', () => heard.push('late'));
  close();
  emit('mcp.tools.changed', { server: 'a' });
  expect(heard).toEqual([]);
});

test('what a listener sets off is heard after what it listened to, by everybody', () => {
  const { emit, on } = bus();
  const heard: number[] = [];
  on('mcp.tools.changed', ({ server }) => {
    if (server === 'a') emit('mcp.prompts.changed', { server });
  });
  on('mcp.prompts.changed', ({ id }) => heard.push(id));
  on('mcp.tools.changed', ({ id }) => heard.push(id));
  emit('mcp.tools.changed', { server: 'a' });
  emit('mcp.tools.changed', { server: 'b' });
  expect(heard).toEqual([1, 2, 3]);
});

test.each<readonly [string | undefined, unknown, string]>([
  [
    'mcp.tool.changed',
    () => undefined,
    'Unknown event "mcp.tool.changed". Did you mean "mcp.tools.changed"?',
  ],
  [undefined, () => undefined, 'Unknown event "undefined". Use one of: mcp.phase, '],
  ['data', () => undefined, 'Unknown event "data". Use one of: mcp.phase, '],
  ['mcp.tools.changed', undefined, 'Invalid listener for "mcp.tools.changed": expected a function.'],
])('listening to %s with %s names the event in the error', (name, listener, message) => {
  const { on } = bus();
  const thrown = (): unknown => on(name as 'mcp.log', listener as () => void); // what a program without types may pass
  expect(thrown).toThrow(
    expect.objectContaining({ code: 'usage-invalid', message: expect.stringContaining(message) }),
  );
});
