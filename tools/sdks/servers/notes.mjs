/** The server that the programs of the docs know: it adds, greets, draws and refuses. */
import { speak, text, tool } from '../../../tests/fixtures/servers/shared/speak.mjs';
import { png } from './png.mjs';

speak({
  name: 'notes',
  tools: [
    tool('add', { a: { type: 'number' }, b: { type: 'number' } }),
    tool('greet', { name: { type: 'string' } }),
    tool('draw', { colour: { type: 'string' } }),
    tool('refuse'),
  ],
  call(name, { a, b, colour, name: who }) {
    if (name === 'refuse') return { ...text('I will not'), isError: true };
    if (name === 'add') return text(a + b);
    if (name === 'greet') return text(`Hello, ${who}!`);
    return {
      content: [
        { type: 'text', text: `a ${colour} pixel` },
        { type: 'image', data: png, mimeType: 'image/png' },
      ],
    };
  },
});
