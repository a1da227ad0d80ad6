/* oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema */
/** Input schemas that real tools use, and schemas that break implementations. Each has valid and invalid arguments. */

export interface SchemaSample {
  readonly name: string;
  readonly schema: unknown;
  readonly fitting: object;
  /** Left out where nothing can be wrong. */
  readonly failing?: object;
}

const text = { type: 'string' };
const whole = { type: 'integer' };
const object = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });
const sample = (name: string, schema: unknown, fitting: object, failing?: object): SchemaSample =>
  failing === undefined ? { name, schema, fitting } : { name, schema, fitting, failing };
const nest = (levels: number, wrap: (inner: unknown) => unknown, inner: unknown = text): unknown =>
  levels === 0 ? inner : nest(levels - 1, wrap, wrap(inner));

const real: readonly SchemaSample[] = [
  sample(
    'read a file',
    object(
      {
        path: { ...text, description: 'Where it is' },
        head: { ...whole, minimum: 1 },
        tail: { ...whole, minimum: 1 },
      },
      { required: ['path'], additionalProperties: false, $schema: 'http://json-schema.org/draft-07/schema#' },
    ),
    { path: 'a' },
    {},
  ),
  sample(
    'read files',
    object({ paths: { type: 'array', items: text, minItems: 1 } }, { required: ['paths'] }),
    { paths: ['a'] },
    { paths: [] },
  ),
  sample(
    'edit a file',
    object(
      {
        path: text,
        edits: {
          type: 'array',
          items: object(
            { oldText: text, newText: text },
            { required: ['oldText', 'newText'], additionalProperties: false },
          ),
        },
        dryRun: { type: 'boolean', default: false },
      },
      { required: ['path', 'edits'] },
    ),
    { path: 'a', edits: [{ oldText: 'a', newText: 'b' }] },
    { path: 'a', edits: [{ oldText: 'a' }] },
  ),
  sample(
    'list a folder',
    object(
      { path: text, sortBy: { type: 'string', enum: ['name', 'size'], default: 'name' } },
      { required: ['path'] },
    ),
    { path: 'a', sortBy: 'size' },
    { path: 'a', sortBy: 'age' },
  ),
  sample(
    'create an issue',
    object(
      {
        owner: text,
        repo: text,
        title: text,
        body: text,
        assignees: { type: 'array', items: text },
        labels: { type: 'array', items: text },
        milestone: { type: 'number' },
      },
      { required: ['owner', 'repo', 'title'] },
    ),
    { owner: 'o', repo: 'r', title: 't' },
    { owner: 'o' },
  ),
  sample(
    'list issues',
    object(
      {
        owner: text,
        repo: text,
        state: { enum: ['open', 'closed', 'all'] },
        since: { type: 'string', format: 'date-time' },
        perPage: { type: 'number', minimum: 1, maximum: 100 },
        page: { type: 'number', minimum: 1 },
      },
      { required: ['owner', 'repo'] },
    ),
    { owner: 'o', repo: 'r', perPage: 5 },
    { owner: 'o', repo: 'r', perPage: 500 },
  ),
  sample(
    'search code',
    object(
      { q: { ...text, minLength: 1, maxLength: 256 }, order: { enum: ['asc', 'desc'] }, sort: text },
      { required: ['q'] },
    ),
    { q: 'x' },
    { q: '' },
  ),
  sample(
    'push files',
    object(
      {
        files: {
          type: 'array',
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['path', 'content'],
            properties: { path: text, content: text },
          },
        },
        branch: { type: ['string', 'null'], default: null },
      },
      { required: ['files'] },
    ),
    { files: [], branch: null },
    { files: [{}] },
  ),
  sample(
    'update a page',
    object(
      {
        data: {
          allOf: [
            object({ page_id: { ...text, format: 'uuid' } }, { required: ['page_id'] }),
            {
              oneOf: [
                object(
                  {
                    command: { const: 'update_properties' },
                    properties: { type: 'object', additionalProperties: true },
                  },
                  { required: ['command'] },
                ),
                object(
                  { command: { const: 'replace' }, new_str: text },
                  { required: ['command', 'new_str'] },
                ),
              ],
            },
          ],
        },
      },
      { required: ['data'] },
    ),
    { data: { page_id: 'x', command: 'replace', new_str: 'y' } },
    { data: { command: 'replace' } },
  ),
  sample(
    'query a database of pages',
    object(
      {
        database_id: text,
        filter: { $ref: '#/$defs/filter' },
        sorts: {
          type: 'array',
          items: object({ property: text, direction: { enum: ['ascending', 'descending'] } }),
        },
      },
      {
        required: ['database_id'],
        $defs: {
          filter: {
            anyOf: [
              object({ property: text, equals: {} }, { required: ['property'] }),
              object({ and: { type: 'array', items: { $ref: '#/$defs/filter' } } }, { required: ['and'] }),
              object({ or: { type: 'array', items: { $ref: '#/$defs/filter' } } }, { required: ['or'] }),
            ],
          },
        },
      },
    ),
    { database_id: 'd', filter: { and: [{ property: 'p', equals: 1 }] } },
    { database_id: 'd', filter: { and: [{}] } },
  ),
  sample(
    'click in a browser',
    object(
      {
        element: text,
        ref: text,
        button: { enum: ['left', 'right', 'middle'] },
        doubleClick: { type: 'boolean' },
        modifiers: { type: 'array', items: { enum: ['Alt', 'Control', 'Shift'] }, uniqueItems: true },
      },
      {
        required: ['element', 'ref'],
        additionalProperties: false,
        $schema: 'https://json-schema.org/draft/2020-12/schema',
      },
    ),
    { element: 'e', ref: 'r' },
    { element: 'e', ref: 'r', modifiers: ['Alt', 'Alt'] },
  ),
  sample(
    'fill a form',
    object(
      {
        fields: {
          type: 'array',
          items: object(
            { name: text, type: { enum: ['textbox', 'checkbox'] }, value: text },
            { required: ['name', 'type', 'value'] },
          ),
        },
      },
      { required: ['fields'] },
    ),
    { fields: [{ name: 'n', type: 'textbox', value: 'v' }] },
    { fields: [{ name: 'n' }] },
  ),
  sample('take a snapshot', object({}, { additionalProperties: false }), {}, { x: 1 }),
  sample(
    'wait in a browser',
    object({ time: { type: 'number', exclusiveMinimum: 0, description: 'Seconds' }, text }),
    { time: 0.5 },
    { time: 0 },
  ),
  sample(
    'run SQL',
    object(
      {
        sql: { ...text, description: 'The query' },
        params: { type: 'array', items: { type: ['string', 'number', 'boolean', 'null'] } },
      },
      { required: ['sql'] },
    ),
    { sql: 'select 1', params: [1, null] },
    { sql: 'x', params: [{}] },
  ),
  sample(
    'fetch a page',
    object(
      {
        url: { type: 'string', format: 'uri', minLength: 1, title: 'Url' },
        max_length: {
          type: 'integer',
          exclusiveMinimum: 0,
          exclusiveMaximum: 1_000_000,
          default: 5000,
          title: 'Max Length',
        },
        raw: { type: 'boolean', default: false },
      },
      { required: ['url'], title: 'Fetch', description: 'Parameters for fetching' },
    ),
    { url: 'https://x.test' },
    { url: 'https://x.test', max_length: 0 },
  ),
  sample(
    'optional values as a Python library writes them',
    object({
      figsize: {
        anyOf: [
          { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }], minItems: 2, maxItems: 2 },
          { type: 'null' },
        ],
        default: [10, 6],
        title: 'Figsize',
      },
      due: { anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }], default: null },
    }),
    { figsize: [1, 2], due: null },
    { figsize: ['a', 1] },
  ),
  sample(
    'scrape with free JSON',
    object(
      {
        url: text,
        formats: {
          type: 'array',
          items: {
            anyOf: [
              { enum: ['markdown', 'html'] },
              object(
                {
                  type: { const: 'json' },
                  schema: { type: 'object', propertyNames: text, additionalProperties: {} },
                },
                { required: ['type'] },
              ),
            ],
          },
        },
      },
      { required: ['url'] },
    ),
    { url: 'u', formats: ['html', { type: 'json', schema: { a: 1 } }] },
    { url: 'u', formats: [5] },
  ),
  sample(
    'headers as a map',
    object({ headers: { type: 'object', additionalProperties: text }, env: { type: 'object' } }),
    { headers: { a: 'b' } },
    { headers: { a: 1 } },
  ),
  sample(
    'names with brackets',
    object(
      { 'filter[id]': text, 'filter(id)': text, filter_id_: text, 'page size': whole },
      { required: ['filter[id]'] },
    ),
    { 'filter[id]': 'a', 'page size': 1 },
    { 'page size': 1 },
  ),
  sample(
    'a calendar event',
    object(
      {
        start: {
          oneOf: [
            object({ dateTime: { type: 'string', format: 'date-time' } }, { required: ['dateTime'] }),
            object({ date: { type: 'string', format: 'date' } }, { required: ['date'] }),
          ],
        },
        attendees: {
          type: 'array',
          items: object({ email: { type: 'string', format: 'email' } }, { required: ['email'] }),
          maxItems: 200,
        },
      },
      { required: ['start'] },
    ),
    { start: { date: '2026-11-16' } },
    { start: {} },
  ),
  sample(
    'a think step',
    object(
      {
        thought: text,
        step: { type: 'integer', minimum: 1 },
        total: { type: 'integer', minimum: 1 },
        next: { type: 'boolean' },
      },
      { required: ['thought', 'step', 'total', 'next'] },
    ),
    { thought: 't', step: 1, total: 1, next: false },
    { thought: 't' },
  ),
  sample(
    'numbers to choose from',
    object({
      size: { type: 'integer', enum: [1, 2, 4] },
      mode: { const: 3 },
      mixed: { enum: ['a', 1, null, true] },
    }),
    { size: 2, mixed: null },
    { size: 3 },
  ),
];

const nasty: readonly SchemaSample[] = [
  sample(
    'oneOf at the root',
    {
      type: 'object',
      oneOf: [object({ id: text }, { required: ['id'] }), object({ name: text }, { required: ['name'] })],
    },
    { id: 'a' },
    { id: 'a', name: 'b' },
  ),
  sample(
    'anyOf at the root without a type',
    {
      anyOf: [
        object({ kind: { const: 'a' }, x: whole }, { required: ['kind', 'x'] }),
        object({ kind: { const: 'b' }, y: text }, { required: ['kind'] }),
      ],
    },
    { kind: 'a', x: 1 },
    { kind: 'a' },
  ),
  sample(
    'allOf at the root',
    {
      type: 'object',
      allOf: [object({ a: whole }, { required: ['a'] }), object({ a: { minimum: 3 }, b: text })],
    },
    { a: 3 },
    { a: 2 },
  ),
  sample(
    'anyOf of requirements',
    object({ id: text, name: text }, { anyOf: [{ required: ['id'] }, { required: ['name'] }] }),
    { id: 'a' },
    {},
  ),
  sample(
    'a reference at the root',
    { $ref: '#/$defs/args', $defs: { args: object({ a: text }, { required: ['a'] }) } },
    { a: 'b' },
    {},
  ),
  sample(
    'not, enum and const at the root',
    { type: 'object', properties: { a: text }, not: { required: ['b'] }, enum: [{ a: 'x' }, {}] },
    { a: 'x' },
    { a: 'y' },
  ),
  sample(
    'a tree',
    object(
      { root: { $ref: '#/$defs/node' } },
      {
        required: ['root'],
        $defs: {
          node: object(
            { value: whole, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
            { required: ['value'] },
          ),
        },
      },
    ),
    { root: { value: 1, children: [{ value: 2 }] } },
    { root: { value: 1, children: [{}] } },
  ),
  sample(
    'the root in itself',
    object({ name: text, child: { $ref: '#' } }, { additionalProperties: false }),
    { child: { child: { name: 'a' } } },
    { child: { x: 1 } },
  ),
  sample(
    'two that hold each other',
    object(
      { a: { $ref: '#/$defs/a' } },
      {
        $defs: { a: object({ b: { $ref: '#/$defs/b' } }), b: object({ a: { $ref: '#/$defs/a' }, n: whole }) },
      },
    ),
    { a: { b: { n: 1 } } },
    { a: { b: { n: 'x' } } },
  ),
  sample(
    'a reference that goes in circles',
    object(
      { a: { $ref: '#/$defs/x' }, b: text },
      { $defs: { x: { $ref: '#/$defs/y' }, y: { $ref: '#/$defs/x' } } },
    ),
    { b: 'a' },
  ),
  sample(
    'a reference to nowhere',
    object({ a: { $ref: '#/$defs/missing' }, b: { $ref: 'https://x.test/schema.json' } }),
    { a: 1, b: 2 },
  ),
  sample(
    'definitions of draft 7',
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      ...object({ a: { $ref: '#/definitions/pair' } }),
      definitions: { pair: { type: 'array', items: [text, whole], additionalItems: false } },
    },
    { a: ['x', 1] },
    { a: [1] },
  ),
  sample(
    'bounds of draft 4',
    object({
      a: { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: false },
    }),
    { a: 1 },
    { a: 0 },
  ),
  sample(
    'a tuple with a rest',
    object({ a: { type: 'array', prefixItems: [text, { type: 'boolean' }], items: whole } }),
    { a: ['x', true, 1, 2] },
    { a: ['x', true, 'y'] },
  ),
  sample(
    'types in lists',
    object({
      a: { type: ['string', 'integer'] },
      b: { type: ['array', 'null'], items: text },
      c: { type: ['object', 'string'], properties: { d: text } },
    }),
    { a: 1, b: null, c: { d: 'x' } },
    { a: {} },
  ),
  sample(
    'nullable',
    object({ a: { type: 'string', nullable: true }, b: { ...object({ c: text }), nullable: true } }),
    { a: null, b: null },
    { a: true },
  ),
  sample(
    'every format',
    object(
      Object.fromEntries(
        ['date', 'time', 'date-time', 'uri', 'email', 'uuid', 'ipv4', 'hostname', 'regex', 'made-up'].map(
          (format) => [format.replace('-', '_'), { type: 'string', format }],
        ),
      ),
    ),
    { uri: 'x' },
    { uri: true },
  ),
  sample(
    'formats of numbers',
    object({
      a: { type: 'integer', format: 'int64' },
      b: { type: 'number', format: 'float' },
      c: { type: 'string', format: 'int32' },
    }),
    { a: 1 },
    { a: 'x' },
  ),
  sample(
    'names by pattern',
    object({
      labels: {
        type: 'object',
        patternProperties: { '^x-': text, '^n-': whole },
        additionalProperties: false,
      },
    }),
    { labels: { 'x-a': 'b' } },
    { labels: { y: 1 } },
  ),
  sample(
    'only properties, no type',
    {
      properties: { a: { description: 'anything' }, b: { properties: { c: text } }, d: { items: text } },
      required: ['a'],
    },
    { a: 1 },
    {},
  ),
  sample('an empty schema', {}, { anything: 1 }),
  sample(
    'an empty object inside',
    object({
      options: { type: 'object', properties: {} },
      none: object({}, { additionalProperties: false }),
    }),
    { options: { a: 1 } },
    { none: { a: 1 } },
  ),
  sample(
    'twenty objects in each other',
    object({ a: nest(20, (inner) => object({ a: inner })) }),
    { a: { a: {} } },
    { a: 1 },
  ),
  sample(
    '5,000 objects in each other',
    nest(5000, (inner) => object({ a: inner })),
    { a: { a: {} } },
    { a: 1 },
  ),
  sample(
    '300 properties',
    object(
      Object.fromEntries(
        Array.from({ length: 300 }, (_, at) => [`property_${at}`, at % 3 === 0 ? whole : text]),
      ),
      { required: ['property_0'] },
    ),
    { property_0: 1 },
    {},
  ),
  sample(
    '6,000 properties',
    object(Object.fromEntries(Array.from({ length: 6000 }, (_, at) => [`p${at}`, text]))),
    { p5999: 'a' },
    { p5999: true },
  ),
  sample(
    '3,000 values',
    object({ a: { enum: Array.from({ length: 3000 }, (_, at) => `value ${at}`) } }),
    { a: 'value 2999' },
    { a: 'x' },
  ),
  sample(
    'boolean schemas',
    object({ a: true, b: false, c: { type: 'array', items: true }, d: { type: 'array', items: false } }),
    { a: 1, c: [1] },
    { b: 1 },
  ),
  sample(
    'conditions',
    object(
      { kind: { enum: ['a', 'b'] } },
      {
        required: ['kind'],
        if: { properties: { kind: { const: 'a' } } },
        then: { properties: { x: whole }, required: ['x'] },
        else: { properties: { y: text } },
      },
    ),
    { kind: 'a', x: 1 },
    { kind: 'a' },
  ),
  sample(
    'dependencies',
    object(
      { a: text, b: text },
      {
        dependentRequired: { a: ['b'] },
        dependentSchemas: { b: { properties: { c: whole } } },
        dependencies: { b: ['a'] },
      },
    ),
    { a: 'x', b: 'y' },
    { a: 'x' },
  ),
  sample(
    'nothing left over',
    object({ a: text }, { allOf: [{ properties: { b: text } }], unevaluatedProperties: false }),
    { a: 'x', b: 'y' },
    { c: 1 },
  ),
  sample(
    'contains and unique',
    object({ a: { type: 'array', contains: { const: 1 }, uniqueItems: true, items: whole } }),
    { a: [1, 2] },
    { a: [2] },
  ),
  sample(
    'names in other scripts',
    object(
      { größe: whole, 名前: text, '😀': { type: 'boolean' }, 'with space': text },
      { required: ['名前'] },
    ),
    { 名前: 'a' },
    {},
  ),
  sample(
    'a name of 100 characters, twice',
    object({ ['a'.repeat(100)]: text, [`${'a'.repeat(99)}b`]: whole }),
    { ['a'.repeat(100)]: 'x' },
    { ['a'.repeat(100)]: true },
  ),
  sample(
    'names of the language',
    JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"integer"},"toString":{"type":"string"}}}',
    ),
    { constructor: 1 },
    { constructor: 'x' },
  ),
  sample(
    'patterns that look around',
    object({
      a: { type: 'string', pattern: '^(?!x).*$' },
      b: { type: 'string', pattern: '(' },
      c: { type: 'string', pattern: String.raw`^\d+$` },
    }),
    { a: 'y', c: '1' },
    { c: 'x' },
  ),
  sample(
    'operands of the wrong kind',
    {
      type: 'object',
      properties: {
        a: { type: 'string', minLength: 'x', enum: 'y', pattern: 5, format: {}, description: 7 },
        b: { type: 'wrong' },
        c: 'string',
        d: null,
        e: { items: 5, type: 'array' },
      },
      required: 'a',
    },
    { a: 'x' },
  ),
  sample('only required', object({}, { required: ['a', 'b'] }), { a: 1, b: 2 }, { a: 1 }),
  sample(
    'null alone',
    object({ a: { type: 'null' }, b: { const: null }, c: { enum: [null] } }),
    { a: null },
    { a: 1 },
  ),
  sample(
    'unions in unions',
    object({
      a: {
        anyOf: [
          { oneOf: [text, { type: 'array', items: { anyOf: [text, whole, { type: 'null' }] } }] },
          object({ b: { anyOf: [text] } }),
          { type: 'null' },
        ],
        description: 'Deep',
      },
    }),
    { a: [1, null] },
    { a: true },
  ),
  sample(
    'values by description',
    object({
      a: {
        oneOf: [
          { const: 'x', description: 'First' },
          { const: 'y', title: 'Second' },
        ],
        description: 'Which',
      },
      b: {
        oneOf: [
          { type: 'integer', minimum: 5 },
          { type: 'number', maximum: 3 },
        ],
      },
    }),
    { a: 'x', b: 7 },
    { a: 'z' },
  ),
  sample(
    'types and more beside a union',
    object({
      a: { type: 'string', anyOf: [{ format: 'date' }, { pattern: '^now$' }] },
      b: {
        type: 'object',
        properties: { k: text },
        oneOf: [{ required: ['k'] }, { properties: { l: whole }, required: ['l'] }],
      },
    }),
    { a: 'now', b: { k: 'x' } },
    { b: {} },
  ),
  sample(
    'defaults of every kind',
    object({
      a: { type: 'string', default: 'x' },
      b: { type: 'array', items: text, default: ['y'] },
      c: { type: 'object', properties: { d: text }, default: { d: 'z' } },
      e: { default: 1 },
    }),
    {},
    { a: true },
  ),
  sample('no schema', undefined, { a: 1 }),
];

export const toolSchemas: readonly SchemaSample[] = [...real, ...nasty];
