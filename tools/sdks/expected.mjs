/** What a model must receive for the two calls of `fake-models.mjs`, in the format of each SDK. */

import { png } from './servers/png.mjs';

const text = 'a red pixel';
const url = `data:image/png;base64,${png}`;
const error = 'Error: I will not';

const aiResults = (file) => [
  { type: 'tool-result', output: { type: 'content', value: [{ type: 'text', text }, file] } },
  { type: 'tool-result', output: { type: 'error-text', value: error } },
];
const filePart = { type: 'file', data: { type: 'data', data: png }, mediaType: 'image/png' };
const responses = (image) => [
  { call_id: 'call_1', output: [{ type: 'input_text', text }, image] },
  { call_id: 'call_2', output: error },
];

const results = {
  'ai-5': aiResults({ type: 'media', data: png, mediaType: 'image/png' }),
  'ai-6': aiResults({ type: 'image-data', data: png, mediaType: 'image/png' }),
  'ai-7': aiResults(filePart),
  mastra: aiResults(filePart),
  anthropic: [
    {
      tool_use_id: 'call_1',
      content: [
        { type: 'text', text },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
      ],
    },
    { tool_use_id: 'call_2', content: [{ type: 'text', text: error }], is_error: true },
  ],
  chat: [
    { tool_call_id: 'call_1', content: text },
    { tool_call_id: 'call_2', content: error },
  ],
  responses: responses({ type: 'input_image', image_url: url }),
  agents: responses({ type: 'input_image', image_url: url }),
  gemini: [
    {
      functionResponse: {
        name: 'mcp__notes__draw',
        response: { output: text },
        parts: [{ inlineData: { mimeType: 'image/png', data: png } }],
      },
    },
    { functionResponse: { name: 'mcp__notes__refuse', response: { error } } },
  ],
  langchain: [
    {
      status: 'success',
      content: [
        { type: 'text', text },
        { type: 'image_url', image_url: { url } },
      ],
    },
    { status: 'error', content: error },
  ],
};

/** One line for each difference; none when the run is as it must be. */
export function differences(kind, seen) {
  const tools = ['add', 'greet', 'draw', 'refuse'].map((name) => `mcp__notes__${name}`);
  return [
    ...(seen.text === 'done' ? [] : [`answer: ${JSON.stringify(seen.text)}`]),
    ...tools.filter((name) => !seen.tools?.includes(name)).map((name) => `${name} was not offered`),
    ...compare('results', seen.results, results[kind]),
  ];
}

/** Fields that are not named may have any value. A string must begin as named: notes about saved files follow it. */
function compare(place, actual, wanted) {
  if (typeof wanted === 'object' && typeof actual === 'object' && actual !== null) {
    const missing =
      Array.isArray(wanted) && actual.length !== wanted.length ? [`${place}: other length`] : [];
    const inner = Object.keys(wanted).flatMap((key) => compare(`${place}.${key}`, actual[key], wanted[key]));
    return [...missing, ...inner];
  }
  if (typeof wanted === 'string' && typeof actual === 'string' && actual.startsWith(wanted)) return [];
  if (actual === wanted) return [];
  return [`${place}: ${JSON.stringify(actual)?.slice(0, 300)} instead of ${JSON.stringify(wanted)}`];
}
