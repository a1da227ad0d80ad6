/** What the SDK's schemas accept, as plain checks: at least as strict as they are, in both eras, at a fraction of the cost. */

export type Check = (value: unknown) => boolean;
export type Fields = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const isText: Check = (value) => typeof value === 'string';
export const isFlag: Check = (value) => typeof value === 'boolean';
export const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value);

export function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check);
}

export function oneOf(...values: readonly string[]): Check {
  return (value) => typeof value === 'string' && values.includes(value);
}

/** An object whose known fields, where present, are as they should be. Fields that are missing are fine unless required. */
export function recordWith(
  required: Readonly<Record<string, Check>>,
  optional: Readonly<Record<string, Check>> = {},
): Check {
  const needs = Object.entries(required);
  const knows = Object.entries(optional);
  return (value) =>
    isRecord(value) &&
    needs.every(([name, check]) => check(value[name])) &&
    knows.every(([name, check]) => value[name] === undefined || check(value[name]));
}

const alphabet = /^[A-Za-z0-9+/]*={0,2}$/;

/** What `atob` takes: white space anywhere, padding whole or left out. */
export const isBase64: Check = (value) => {
  if (typeof value !== 'string') return false;
  const text = /[\t\n\f\r ]/.test(value) ? value.replaceAll(/[\t\n\f\r ]+/g, '') : value;
  const left = text.length % 4;
  return alphabet.test(text) && (text.endsWith('=') ? left === 0 : left !== 1);
};

const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;
const isMoment: Check = (value) =>
  typeof value === 'string' && moment.test(value) && !Number.isNaN(Date.parse(value));
const isShare: Check = (value) => typeof value === 'number' && value >= 0 && value <= 1;

export const isAnnotations = recordWith(
  {},
  { audience: listOf(oneOf('user', 'assistant')), priority: isShare, lastModified: isMoment },
);

export const isIcons = listOf(
  recordWith({ src: isText }, { mimeType: isText, sizes: listOf(isText), theme: oneOf('light', 'dark') }),
);

const objectSchema = recordWith(
  { type: oneOf('object') },
  { $schema: isText, properties: isRecord, required: listOf(isText) },
);

export const isInputSchema = objectSchema;

/** The stateless era lets a result be anything; the older one only an object. */
export const isOutputSchema = {
  stateful: objectSchema,
  stateless: recordWith({}, { $schema: isText }),
} as const;

export const isToolAnnotations = recordWith(
  {},
  {
    title: isText,
    readOnlyHint: isFlag,
    destructiveHint: isFlag,
    idempotentHint: isFlag,
    openWorldHint: isFlag,
  },
);

export const isExecution = recordWith({}, { taskSupport: oneOf('required', 'optional', 'forbidden') });

export const isPromptArguments = listOf(
  recordWith({ name: isText }, { description: isText, required: isFlag }),
);

const isContents: Check = (value) =>
  isRecord(value) &&
  isText(value['uri']) &&
  (value['mimeType'] === undefined || isText(value['mimeType'])) &&
  (value['_meta'] === undefined || isRecord(value['_meta'])) &&
  (isText(value['text']) || isBase64(value['blob']));

/** Per type of content block: what it cannot do without. */
export const blockNeeds: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  text: { text: isText },
  image: { data: isBase64, mimeType: isText },
  audio: { data: isBase64, mimeType: isText },
  resource: { resource: isContents },
  resource_link: { uri: isText, name: isText },
};

const named = { title: isText, icons: isIcons, description: isText, _meta: isRecord };
const sized = { ...named, mimeType: isText, annotations: isAnnotations };

/** Beside those, what a block may have; a malformed one of these costs only itself. */
export const blockMay: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  text: { annotations: isAnnotations, _meta: isRecord },
  image: { annotations: isAnnotations, _meta: isRecord },
  audio: { annotations: isAnnotations, _meta: isRecord },
  resource: { annotations: isAnnotations, _meta: isRecord },
  resource_link: { ...sized, size: isNumber },
};

export interface EntryShape {
  readonly needs: Readonly<Record<string, Check>>;
  readonly may: Readonly<Record<string, Check>>;
}

export const shapes = {
  tool: {
    stateful: toolShape(isOutputSchema.stateful),
    stateless: toolShape(isOutputSchema.stateless),
  },
  prompt: { needs: { name: isText }, may: { ...named, arguments: isPromptArguments } },
  resource: { needs: { name: isText, uri: isText }, may: { ...sized, size: isNumber } },
  resourceTemplate: { needs: { name: isText, uriTemplate: isText }, may: sized },
} as const;

function toolShape(outputSchema: Check): EntryShape {
  return {
    needs: { name: isText, inputSchema: isInputSchema },
    may: { ...named, outputSchema, annotations: isToolAnnotations, execution: isExecution },
  };
}
