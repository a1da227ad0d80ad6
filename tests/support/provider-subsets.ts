/**
 * What each model provider's documentation says it takes as a tool's schema, and what its service is known to refuse. Each
 * gives the list of what is wrong; written apart from the code that fits schemas, so that the two can disagree.
 */

type Node = Readonly<Record<string, unknown>>;
type Problems = string[];

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (node: Node, keyword: string): string => {
  const text = node[keyword];
  return typeof text === 'string' ? text : '';
};
const isPattern = (pattern: string): boolean => {
  try {
    return new RegExp(pattern, 'u').flags === 'u';
  } catch {
    return false;
  }
};
const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

/** Every schema in a schema, with where it stands and how many objects are around it. */
function* walk(
  node: unknown,
  at = 'root',
  level = 1,
): Generator<{ node: unknown; at: string; level: number }> {
  yield { node, at, level };
  if (!isNode(node)) return;
  for (const holder of ['properties', '$defs']) {
    if (!isNode(node[holder])) continue;
    for (const [name, child] of Object.entries(node[holder])) yield* walk(child, `${at}/${name}`, level + 1);
  }
  for (const holder of ['anyOf', 'prefixItems']) {
    for (const [index, child] of (Array.isArray(node[holder]) ? node[holder] : []).entries()) {
      yield* walk(child, `${at}/${holder}${index}`, level);
    }
  }
  for (const holder of ['items', 'additionalProperties']) {
    if (isNode(node[holder])) yield* walk(node[holder], `${at}/${holder}`, level);
  }
}

function onlyKnown(node: Node, known: readonly string[], at: string): Problems {
  return Object.keys(node)
    .filter((keyword) => !known.includes(keyword))
    .map((keyword) => `${at}: ${keyword}`);
}

/** The operands the standard's meta-schema asks for, for the keywords any of our outputs has. */
function isSound(keyword: string, operand: unknown): boolean {
  if (/^(?:min|max)(?:Length|Items|Properties)$/.test(keyword))
    return Number.isInteger(operand) && Number(operand) >= 0;
  if (/^(?:minimum|maximum|exclusive.*|multipleOf)$/.test(keyword)) return typeof operand === 'number';
  if (/^(?:description|pattern|format|\$ref)$/.test(keyword)) return typeof operand === 'string';
  if (keyword === 'type') return [operand].flat().every((type) => types.includes(String(type)));
  if (/^(?:enum|anyOf|prefixItems)$/.test(keyword)) return Array.isArray(operand) && operand.length > 0;
  if (keyword === 'required') return Array.isArray(operand) && new Set(operand).size === operand.length;
  if (/^(?:properties|\$defs)$/.test(keyword)) return isNode(operand);
  return true;
}

function common(schema: unknown): Problems {
  if (!isNode(schema)) return ['root: not an object'];
  const problems: Problems = [];
  if (schema['type'] !== 'object' || !isNode(schema['properties'])) problems.push('root: no object');
  for (const keyword of ['anyOf', 'oneOf', 'allOf', 'enum', 'not', '$ref']) {
    if (keyword in schema) problems.push(`root: ${keyword}`);
  }
  for (const { node, at } of walk(schema)) {
    if (typeof node === 'boolean') continue;
    if (!isNode(node)) problems.push(`${at}: no schema`);
    else problems.push(...soundness(node, schema, at));
  }
  return problems;
}

function soundness(node: Node, root: Node, at: string): Problems {
  const problems = Object.keys(node)
    .filter((keyword) => !isSound(keyword, node[keyword]))
    .map((keyword) => `${at}: operand of ${keyword}`);
  const properties = isNode(node['properties']) ? Object.keys(node['properties']) : [];
  const required = Array.isArray(node['required']) ? node['required'] : [];
  problems.push(
    ...required.filter((name) => !properties.includes(String(name))).map((name) => `${at}: requires ${name}`),
  );
  const reference = node['$ref'];
  if (reference !== undefined) {
    const definitions = isNode(root['$defs']) ? root['$defs'] : {};
    if (!Object.hasOwn(definitions, textOf(node, '$ref').replace('#/$defs/', '')))
      problems.push(`${at}: $ref`);
    if (Object.keys(node).length > 1) problems.push(`${at}: neighbours of $ref`);
  }
  if (
    [node['type']].flat().includes('array') &&
    node['items'] === undefined &&
    node['prefixItems'] === undefined
  ) {
    problems.push(`${at}: array without items`);
  }
  if (!isPattern(textOf(node, 'pattern'))) problems.push(`${at}: pattern`);
  return problems;
}

const structure = ['type', 'description', 'properties', 'required', 'items', 'enum', 'anyOf'];
const openaiKeywords = [
  ...structure,
  'additionalProperties',
  '$ref',
  '$defs',
  'pattern',
  'format',
  'multipleOf',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minItems',
  'maxItems',
];
const openaiFormats = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'];

function openaiLimits(schema: Node): Problems {
  const nodes = [...walk(schema)].filter((each): each is typeof each & { node: Node } => isNode(each.node));
  const enums = nodes.flatMap(({ node }) => (Array.isArray(node['enum']) ? node['enum'] : []));
  const names = nodes.flatMap(({ node }) =>
    isNode(node['properties']) ? Object.keys(node['properties']) : [],
  );
  const problems: Problems = [];
  if (names.length > 5000) problems.push(`root: ${names.length} properties`);
  if (enums.filter((value) => value !== null).length > 1000)
    problems.push(`root: ${enums.length} enum values`);
  if ([...names, ...enums.map(String)].join('').length > 120_000) problems.push('root: too much text');
  return problems;
}

function openai(schema: unknown, more: readonly string[] = ['default']): Problems {
  const problems = [...common(schema), ...(isNode(schema) ? openaiLimits(schema) : [])];
  for (const { node, at, level } of walk(schema)) {
    if (!isNode(node)) continue;
    problems.push(...onlyKnown(node, [...openaiKeywords, ...more], at));
    if (node['format'] !== undefined && !openaiFormats.includes(textOf(node, 'format')))
      problems.push(`${at}: format`);
    if (/\(\?[=!<]|\\[1-9k]/.test(textOf(node, 'pattern'))) problems.push(`${at}: pattern`);
    if (node['properties'] !== undefined && level > 11) problems.push(`${at}: too deep`);
  }
  return problems;
}

function openaiStrict(schema: unknown): Problems {
  const problems = openai(schema, []);
  for (const { node, at, level } of walk(schema)) {
    if (!isNode(node)) {
      problems.push(`${at}: no schema`);
      continue;
    }
    if (!('type' in node || 'anyOf' in node || '$ref' in node)) problems.push(`${at}: no type`);
    if (![node['type']].flat().includes('object')) continue;
    const names = isNode(node['properties']) ? Object.keys(node['properties']) : [];
    if (node['additionalProperties'] !== false) problems.push(`${at}: open`);
    if (JSON.stringify(node['required']) !== JSON.stringify(names)) problems.push(`${at}: not all required`);
    if (level > 10) problems.push(`${at}: too deep`);
  }
  return problems;
}

const topNames = (schema: unknown, rule: RegExp): Problems =>
  isNode(schema) && isNode(schema['properties'])
    ? Object.keys(schema['properties'])
        .filter((name) => !rule.test(name))
        .map((name) => `root: name ${name}`)
    : [];

/** Anthropic takes JSON Schema 2020-12 below the root. */
function anthropic(schema: unknown): Problems {
  const known = [
    ...openaiKeywords,
    'default',
    'minLength',
    'maxLength',
    'uniqueItems',
    'minProperties',
    'maxProperties',
    'prefixItems',
  ];
  const problems = [...common(schema), ...topNames(schema, /^[a-zA-Z0-9_.-]{1,64}$/)];
  for (const { node, at } of walk(schema)) if (isNode(node)) problems.push(...onlyKnown(node, known, at));
  return problems;
}

const ofType: Readonly<Record<string, readonly string[]>> = {
  object: ['properties', 'required', 'minProperties', 'maxProperties'],
  array: ['items', 'minItems', 'maxItems'],
  string: ['enum', 'pattern', 'minLength', 'maxLength', 'format'],
  number: ['minimum', 'maximum', 'format'],
  integer: ['minimum', 'maximum', 'format'],
  boolean: [],
};
const geminiFormats: Readonly<Record<string, readonly string[]>> = {
  string: ['date-time'],
  number: ['float', 'double'],
  integer: ['int32', 'int64'],
};

/** A subset of OpenAPI's schema object; an unknown field fails the request. */
function gemini(schema: unknown): Problems {
  const problems = [...common(schema), ...topNames(schema, /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/)];
  for (const { node, at } of walk(schema)) {
    if (!isNode(node)) {
      problems.push(`${at}: no schema`);
      continue;
    }
    if (node['anyOf'] !== undefined) {
      problems.push(...onlyKnown(node, ['anyOf'], at));
      continue;
    }
    const type = String(node['type']);
    problems.push(...onlyKnown(node, ['type', 'description', 'nullable', ...(ofType[type] ?? [])], at));
    if (!(type in ofType)) problems.push(`${at}: type ${type}`);
    if (type === 'object' && at !== 'root' && Object.keys(node['properties'] ?? {}).length === 0)
      problems.push(`${at}: empty object`);
    if (type === 'array' && !isNode(node['items'])) problems.push(`${at}: items`);
    if (node['format'] !== undefined && !geminiFormats[type]?.includes(textOf(node, 'format')))
      problems.push(`${at}: format`);
    const values = Array.isArray(node['enum']) ? node['enum'] : [];
    if (!values.every((value) => typeof value === 'string' && value !== '')) problems.push(`${at}: enum`);
  }
  return problems;
}

/** The least that everybody takes. */
function generic(schema: unknown): Problems {
  const known = [...structure, 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'];
  const problems = [...common(schema), ...topNames(schema, /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/)];
  for (const { node, at } of walk(schema)) {
    if (!isNode(node)) problems.push(`${at}: no schema`);
    else if (typeof node['type'] !== 'string' && node['anyOf'] === undefined) problems.push(`${at}: type`);
    else problems.push(...onlyKnown(node, known, at));
  }
  return problems;
}

export const providerProblems = {
  openai: (schema: unknown) => openai(schema),
  'openai-strict': openaiStrict,
  anthropic,
  gemini,
  generic,
};
