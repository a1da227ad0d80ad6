/**
 * `node drive.mjs KIND PROGRAM`: calls `answer` of a compiled program with a fake model and prints, as JSON, the answer, the
 * tools that the model was offered, and the tool results that it was sent.
 */

import { pathToFileURL } from 'node:url';

import { fakeModels } from './fake-models.mjs';

const [kind, program] = process.argv.slice(2);
const { model, seen, close } = await fakeModels[kind]();
const { answer } = await import(pathToFileURL(program).href);
const text = await answer(model, 'Draw something.');
process.stdout.write(`\n${JSON.stringify({ text, ...seen() })}\n`, () => {
  close?.();
  // Some SDKs keep timers or sockets open.
  process.exit(0);
});
