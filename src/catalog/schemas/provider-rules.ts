/**
 * The JSON Schema subset that each model provider accepts, from its documentation and from what it is known
 * to refuse. Where the two differ the narrower one applies, because one refused tool fails the whole request.
 */

export type Provider = 'openai' | 'openai-strict' | 'anthropic' | 'gemini' | 'generic';

export interface Rules {
  /** Supported keywords, of those that contain no schemas. */
  readonly keywords: ReadonlySet<string>;
  readonly formats: 'all' | ReadonlySet<string>;
  /** The pattern for names of top-level parameters. */
  readonly names: RegExp | undefined;
  /** How to express "or null". */
  readonly nullable: 'type-list' | 'keyword' | 'in-words';
  /** Every object is closed and every property is required, so optional values become nullable. */
  readonly strict: boolean;
  /**
   * Every schema needs a type, and an object below the top needs properties. Anything less specific is
   * written as JSON text.
   */
  readonly typed: boolean;
  readonly enums: 'any' | 'strings';
  /** `anyOf` cannot have sibling keywords. */
  readonly unionAlone: boolean;
  readonly references: boolean;
  readonly tuples: boolean;
  readonly additionalProperties: boolean;
  readonly maxDepth: number;
}

const openaiKeywords = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'pattern',
  'format',
  'minItems',
  'maxItems',
];
const openaiFormats = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
]);

const openai: Rules = {
  keywords: new Set([...openaiKeywords, 'default']),
  formats: openaiFormats,
  names: undefined,
  nullable: 'type-list',
  strict: false,
  typed: false,
  enums: 'any',
  unionAlone: false,
  references: true,
  tuples: false,
  additionalProperties: true,
  maxDepth: 10,
};

export const providerRules: Readonly<Record<Provider, Rules>> = {
  openai,
  'openai-strict': {
    ...openai,
    keywords: new Set(openaiKeywords),
    strict: true,
    typed: true,
    additionalProperties: false,
  },
  anthropic: {
    ...openai,
    keywords: new Set([
      ...openaiKeywords,
      'default',
      'minLength',
      'maxLength',
      'uniqueItems',
      'minProperties',
      'maxProperties',
    ]),
    formats: 'all',
    names: /^[a-zA-Z0-9_.-]{1,64}$/,
    tuples: true,
    maxDepth: 32,
  },
  gemini: {
    ...openai,
    keywords: new Set([
      'minimum',
      'maximum',
      'minLength',
      'maxLength',
      'pattern',
      'format',
      'minItems',
      'maxItems',
      'minProperties',
      'maxProperties',
    ]),
    formats: new Set(['date-time', 'float', 'double', 'int32', 'int64']),
    names: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/,
    nullable: 'keyword',
    typed: true,
    enums: 'strings',
    unionAlone: true,
    references: false,
    additionalProperties: false,
  },
  generic: {
    ...openai,
    keywords: new Set(['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems']),
    formats: new Set(),
    names: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/,
    nullable: 'in-words',
    typed: true,
    enums: 'strings',
    references: false,
    additionalProperties: false,
  },
};
