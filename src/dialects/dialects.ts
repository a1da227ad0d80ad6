/**
 * Defines which agents read placeholders in which fields, and how. There is one row for each way of reading;
 * agents that read alike share a row. A field that a row does not name has no placeholders: its text is
 * plain.
 */

import type { DialectId } from '../kernel/servers.ts';
import { fieldRules, type FieldRules, type Syntax } from './scanner.ts';
import { shellSyntaxes } from './shell.ts';
import {
  agentOnly,
  backslashed,
  bang,
  braced,
  curlyVariable,
  dollar,
  doubleBraced,
  enclosed,
  identifier,
  known,
  loose,
  percent,
  variable,
  wholeBraced,
  wholeDollarEnv,
  word,
} from './syntaxes.ts';
import { fieldKinds, type FieldKind, type TemplatePart, type WhenUnset } from './template.ts';

export type Dialect = { readonly [Field in FieldKind]?: FieldRules };

const launchFields = ['command', 'args', 'env', 'url', 'headers'] as const;
const valueFields = ['env', 'headers'] as const;
const otherThanValues = ['command', 'args', 'cwd', 'url', 'oauth'] as const;

const holtVariable = braced({ name: loose, fallback: 'empty', whenUnset: 'fail' });
const claudeVariable = braced({
  name: loose,
  fallback: 'unset',
  whenUnset: 'literal',
});
const plainVariable = braced({ name: loose, whenUnset: 'fail' });
const defaultedVariable = braced({
  name: loose,
  fallback: 'unset',
  whenUnset: 'fail',
});
const ompVariable = braced({ name: loose, fallback: 'empty', whenUnset: 'literal' });
const clineVariable = braced({ prefix: 'env:', name: word, whenUnset: 'literal', misfit: 'is-text' });
const mcporterVariable = braced({
  name: identifier,
  fallback: 'empty',
  whenUnset: 'fail',
  misfit: 'is-text',
});

const pluginWords = [
  known('${CLAUDE_PLUGIN_ROOT}', 'pluginRoot'),
  known('${CLAUDE_PLUGIN_DATA}', 'pluginData'),
  known('${CLAUDE_PROJECT_DIR}', 'projectDir'),
  enclosed('${user_config.', (key, raw) => ({ kind: 'input', raw, id: `user_config.${key}` })),
];

const editorWords = [
  known('${workspaceFolder}', 'workspaceFolder'),
  known('${workspaceFolderBasename}', 'workspaceFolderBasename'),
  known('${userHome}', 'userHome'),
  known('${pathSeparator}', 'pathSeparator'),
  known('${/}', 'pathSeparator'),
];

const vscodeOnly = [
  refused('${config:', 'a setting of the editor'),
  refused('${command:', 'a command of the editor'),
  refused('${workspaceFolder:', 'a folder of the editor by name'),
  refused('${extensionInstallFolder:', 'an extension of the editor'),
  ...['cwd', 'execPath', 'file', 'fileBasename', 'fileBasenameNoExtension', 'fileDirname', 'fileExtname'].map(
    editorState,
  ),
  ...['fileDirnameBasename', 'fileWorkspaceFolder', 'relativeFile', 'relativeFileDirname'].map(editorState),
  ...['lineNumber', 'columnNumber', 'selectedText', 'defaultBuildTask'].map(editorState),
];

const geminiWords = [
  known('${extensionPath}', 'extensionPath'),
  known('${workspacePath}', 'workspacePath'),
  known('${/}', 'pathSeparator'),
];

const opencodeSyntaxes = [
  enclosed('{env:', (name, raw) => variable(raw, name, 'empty')),
  enclosed('{file:', (path, raw) =>
    path.includes('{')
      ? { kind: 'unsupported', raw, reason: 'a placeholder inside the path of a file is not filled in' }
      : { kind: 'file', raw, path },
  ),
];

const continueSyntax = doubleBraced(continuePart);

export const dialects = {
  holt: {
    ...on(otherThanValues, holtVariable),
    ...on(valueFields, bang({ shell: false, escape: true }), holtVariable),
  },
  claude: on(launchFields, claudeVariable),
  'claude-plugin': on(launchFields, ...pluginWords, claudeVariable),
  otter: on(['headers'], defaultedVariable),
  omp: {
    ...on(otherThanValues, ompVariable),
    ...bareOn(valueFields, bang({ shell: true, escape: false }), ompVariable),
  },
  opencode: on(fieldKinds, ...opencodeSyntaxes),
  vscode: on(fieldKinds, envPrefixed('empty'), inputSyntax(), ...editorWords, ...vscodeOnly),
  cursor: on([...launchFields, 'oauth'], envPrefixed('fail'), ...editorWords),
  windsurf: on(
    launchFields,
    envPrefixed('fail'),
    enclosed('${file:', (path, raw) => ({ kind: 'file', raw, path })),
  ),
  'env-prefix': on(fieldKinds, clineVariable),
  roo: on(fieldKinds, clineVariable, known('${workspaceFolder}', 'workspaceFolder')),
  'amazon-q': on(valueFields, clineVariable),
  copilot: on(fieldKinds, ...dollarAndBraces('literal')),
  gemini: geminiFields(),
  'gemini-extension': geminiFields(...geminiWords),
  qwen: on(fieldKinds, ...dollarAndBraces('literal')),
  crush: on(launchFields, ...shellSyntaxes),
  goose: on(
    ['url', 'headers'],
    braced({ name: identifier, padded: true, whenUnset: 'literal', misfit: 'is-text' }),
    dollar({ name: identifier, whenUnset: 'literal' }),
  ),
  continue: on(fieldKinds, continueSyntax),
  'continue-json': on(fieldKinds, continueSyntax, braced({ name: loose, whenUnset: 'literal' })),
  kiro: on(valueFields, plainVariable),
  factory: on(['command', 'env', 'url', 'headers'], defaultedVariable),
  grok: on(
    fieldKinds,
    agentOnly('{{session_id}}', 'the session of the agent is not known here'),
    defaultedVariable,
  ),
  pi: {
    ...on(['cwd', 'oauth'], ...piVariables('empty')),
    ...on(['url'], ...piVariables('fail')),
    ...on(valueFields, bang({ shell: true, escape: true }), ...piVariables('empty')),
  },
  mcporter: {
    ...on(fieldKinds, ...mcporterSyntaxes()),
    ...on(['headers'], ...mcporterSyntaxes(wholeDollarEnv('fail'))),
    ...on(['env'], ...mcporterSyntaxes(wholeBraced('empty'), wholeDollarEnv('fail'))),
  },
  '1mcp': on(
    fieldKinds,
    braced({ name: loose, padded: true, whenUnset: 'literal' }),
    dollar({ name: identifier, whenUnset: 'literal' }),
  ),
  warp: on(fieldKinds, plainVariable),
  amp: on(fieldKinds, plainVariable),
  none: {},
} as const satisfies Record<DialectId, Dialect>;

function on(fields: readonly FieldKind[], ...syntaxes: readonly Syntax[]): Dialect {
  return same(fields, fieldRules(syntaxes));
}

function bareOn(fields: readonly FieldKind[], ...syntaxes: readonly Syntax[]): Dialect {
  return same(fields, fieldRules(syntaxes, 'bare'));
}

function same(fields: readonly FieldKind[], rules: FieldRules): Dialect {
  const dialect: { [Field in FieldKind]?: FieldRules } = {};
  for (const field of fields) dialect[field] = rules;
  return dialect;
}

function envPrefixed(whenUnset: WhenUnset): Syntax {
  return braced({ prefix: 'env:', name: loose, whenUnset });
}

function inputSyntax(): Syntax {
  return enclosed('${input:', (id, raw) => ({ kind: 'input', raw, id }));
}

function refused(open: string, what: string): Syntax {
  return enclosed(open, (_inside, raw) => ({
    kind: 'unsupported',
    raw,
    reason: `${what} is not known here`,
  }));
}

function editorState(name: string): Syntax {
  return agentOnly(`\${${name}}`, 'what the editor shows is not known here');
}

function dollarAndBraces(whenUnset: WhenUnset): Syntax[] {
  return [braced({ name: loose, fallback: 'unset', whenUnset }), dollar({ name: identifier, whenUnset })];
}

/**
 * The agent expands the child's environment a second time with
 * looser rules, so no placeholder in it stays as written.
 */
function geminiFields(...words: readonly Syntax[]): Dialect {
  return {
    ...on(fieldKinds, ...words, ...dollarAndBraces('literal')),
    ...on(
      ['env'],
      ...words,
      braced({ name: loose, fallback: 'unset', whenUnset: 'empty' }),
      dollar({ name: word, whenUnset: 'empty' }),
      percent({ name: word, whenUnset: 'empty' }),
    ),
  };
}

function piVariables(whenUnset: WhenUnset): Syntax[] {
  return [
    braced({ name: word, whenUnset, misfit: 'is-text' }),
    dollar({ prefix: 'env:', name: word, whenUnset }),
    curlyVariable({ name: word, whenUnset }),
  ];
}

function mcporterSyntaxes(...whole: readonly Syntax[]): Syntax[] {
  const refusal = 'the agent itself refuses ${env:…}';
  return [
    enclosed('${env:', (_name, raw) => ({ kind: 'unsupported', raw, reason: refusal })),
    ...whole,
    mcporterVariable,
    backslashed(mcporterVariable),
  ];
}

/**
 * Secrets fall back to the environment, so they are read as variables.
 * The hub's own names have no such fallback.
 */
function continuePart(inside: string, raw: string): TemplatePart | undefined {
  const name = inside.trim();
  if (name === '' || /[\s}]/.test(name)) return undefined;
  const secret = after(name, 'secrets.');
  if (secret !== undefined && !secret.includes('/')) return variable(raw, secret, 'literal');
  const input = after(name, 'inputs.');
  if (input !== undefined) return { kind: 'input', raw, id: input };
  return { kind: 'unsupported', raw, reason: 'a name of the hub is not known here' };
}

function after(text: string, prefix: string): string | undefined {
  return text.startsWith(prefix) && text.length > prefix.length ? text.slice(prefix.length) : undefined;
}
