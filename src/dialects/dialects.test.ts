import { describe, expect, test } from 'vitest';

import type { DialectId } from '../kernel/servers.ts';
import { dialects } from './dialects.ts';
import { expandParts } from './expand.ts';
import { parseTemplate } from './parse-template.ts';
import type { FieldKind } from './template.ts';

/** SET has a value, EMPTY is set to nothing, LOOP holds what looks like a placeholder in most dialects. */
const environment: Readonly<Record<string, string>> = {
  SET: 'value',
  EMPTY: '',
  LOOP: '${SET}$SET{env:SET}%SET%$(id)',
  HOSTILE: '"},"z":{"command":"touch"}\\',
  'ProgramFiles(x86)': 'C:\\Program Files (x86)',
};
const loop = '${SET}$SET{env:SET}%SET%$(id)';

/** The text that comes out, then what it still lacks; or why nothing comes out. */
function fill(dialect: DialectId, field: FieldKind, text: string): string {
  const result = expandParts(parseTemplate(text, dialect, field), {
    variable: (name) => environment[name],
    input: (id) => `<answer ${id}>`,
    file: (path) => `<file ${path}>`,
    command: (line) => `<output ${line}>`,
    known: (name) => `<${name}>`,
  });
  if (!result.ok) return `failed: ${result.missing.map(({ kind, name }) => `${kind} ${name}`).join(', ')}`;
  return [result.text, ...result.kept.map(({ name }) => `lacks ${name}`)].join(' | ');
}

type Row = readonly [promise: string, field: FieldKind, text: string, outcome: string];

const table = {
  holt: [
    ['a set variable gives its value', 'args', 'a-${SET}-b', 'a-value-b'],
    ['an unset variable fails, naming it', 'args', '${UNSET}', 'failed: variable UNSET'],
    ['all unset variables are named', 'args', '${A}${B:-x}${C}', 'failed: variable A, variable C'],
    ['an empty variable gives empty', 'env', '${EMPTY}', ''],
    ['the default stands in for an unset variable', 'url', 'https://h/${UNSET:-d}', 'https://h/d'],
    ['the default stands in for an empty variable too', 'cwd', '${EMPTY:-d}', 'd'],
    ['a set variable beats the default', 'oauth', '${SET:-d}', 'value'],
    ['an empty default is a default', 'args', '${UNSET:-}', ''],
    ['the first :- splits', 'args', '${UNSET:-a:-b}', 'a:-b'],
    ['a placeholder in a default stays as written', 'args', '${UNSET:-${SET}}', '${SET}'],
    ['a placeholder in a name stays as written', 'args', '${A${SET}}', '${A${SET}}'],
    ['a value is never read again', 'headers', '${LOOP}', loop],
    ['a value that would break JSON stays a value', 'env', '${HOSTILE}', '"},"z":{"command":"touch"}\\'],
    ['a command runs for a header', 'headers', '! pass show k ', '<output pass show k>'],
    ['a command runs for a variable', 'env', '!pass show k', '<output pass show k>'],
    ['a command elsewhere is text', 'args', '!pass show k', '!pass show k'],
    ['!! writes a text that begins with !', 'env', '!!${SET}!', '!value!'],
    ['! later in a value is text', 'env', 'a!b', 'a!b'],
    ['! alone fails', 'env', '!  ', 'failed: unsupported !  '],
    [
      'other agents’ spellings are text',
      'args',
      '$SET ${env:SET} {env:SET} %SET%',
      '$SET ${env:SET} {env:SET} %SET%',
    ],
    ['a name of a variable is text', 'env', 'SET', 'SET'],
    ['an open brace is text', 'args', '${SET', '${SET'],
    ['empty braces are text', 'args', '${}${SET}', '${}value'],
    [
      'Windows’ names with parentheses are names',
      'args',
      '${ProgramFiles(x86)}\\x',
      'C:\\Program Files (x86)\\x',
    ],
  ],
  claude: [
    ['a set variable gives its value', 'command', '${SET}/bin', 'value/bin'],
    [
      'an unset variable stays as written (measured)',
      'headers',
      'Bearer ${UNSET}',
      'Bearer ${UNSET} | lacks UNSET',
    ],
    ['a default stands in for an unset variable', 'args', '${UNSET:-/srv}', '/srv'],
    ['a set but empty variable gives empty, not the default (measured)', 'env', '[${EMPTY:-d}]', '[]'],
    ['the first :- splits (measured)', 'env', '${UNSET:-a:-b}', 'a:-b'],
    ['$V is text (measured)', 'env', '$SET', '$SET'],
    ['${env:V} is text (measured)', 'env', '${env:SET}', '${env:SET}'],
    ['a placeholder in a default stays as written', 'url', '${UNSET:-${SET}}', '${SET}'],
    ['a placeholder in a name stays as written', 'url', '${A ${SET}}', '${A ${SET}}'],
    ['a dollar is no part of a name', 'url', '${A$SET}', '${A$SET}'],
    ['a backslash escapes nothing', 'env', '\\${SET}', '\\value'],
    ['a value is never read again', 'env', '${LOOP}', loop],
    ['a folder holds no placeholders', 'cwd', '${SET}', '${SET}'],
    ['OAuth settings hold no placeholders', 'oauth', '${SET}', '${SET}'],
    ['! is text', 'headers', '!pass', '!pass'],
  ],
  'claude-plugin': [
    ['the plugin’s folders are known', 'command', '${CLAUDE_PLUGIN_ROOT}/bin/k', '<pluginRoot>/bin/k'],
    ['its data folder is known', 'env', '${CLAUDE_PLUGIN_DATA}', '<pluginData>'],
    ['the project’s folder is known', 'args', '${CLAUDE_PROJECT_DIR}', '<projectDir>'],
    [
      'the user’s settings are asked for',
      'headers',
      '${user_config.api_key}',
      '<answer user_config.api_key>',
    ],
    ['variables are read as Claude Code does', 'url', 'https://h/${UNSET:-d}${EMPTY:-d}', 'https://h/d'],
    ['an unset variable stays as written', 'args', '${UNSET}', '${UNSET} | lacks UNSET'],
  ],
  otter: [
    ['a set variable gives its value in a header', 'headers', 'Bearer ${SET}', 'Bearer value'],
    ['an unset variable fails', 'headers', '${UNSET}', 'failed: variable UNSET'],
    ['a default stands in for an unset variable', 'headers', '${UNSET:-d}${EMPTY:-d}', 'd'],
    ['the environment holds no placeholders', 'env', '${SET}', '${SET}'],
    ['arguments hold no placeholders', 'args', '${SET}', '${SET}'],
    ['the URL holds no placeholders', 'url', '${SET}', '${SET}'],
    ['opencode’s spelling is text', 'headers', '{env:SET}', '{env:SET}'],
  ],
  omp: [
    ['a set variable gives its value', 'args', '${SET}', 'value'],
    ['an unset variable stays as written', 'url', 'https://h/${UNSET}', 'https://h/${UNSET} | lacks UNSET'],
    ['the default stands in for an empty variable too', 'cwd', '${EMPTY:-d}', 'd'],
    ['a value that names a variable is that variable', 'env', 'SET', 'value'],
    ['a value that names no variable is text', 'headers', 'UNSET', 'UNSET'],
    ['a value that names an empty variable is text', 'env', 'EMPTY', 'EMPTY'],
    ['a name with more around it is text', 'env', 'SET ', 'SET '],
    ['an argument that names a variable is text', 'args', 'SET', 'SET'],
    ['a command runs for a variable', 'env', '!pass show ${SET}', '<output pass show ${SET}>'],
    ['!! is a command like any other', 'headers', '!!x', '<output !x>'],
    ['a command elsewhere is text', 'args', '!pass', '!pass'],
    ['a value is never read again', 'env', '${LOOP}', loop],
    ['a placeholder in a name stays as written', 'env', '${A${SET}}', '${A${SET}}'],
  ],
  opencode: [
    ['a set variable gives its value', 'args', 'a{env:SET}b', 'avalueb'],
    ['an unset variable gives empty (measured)', 'headers', 'Bearer {env:UNSET}', 'Bearer '],
    ['an empty variable gives empty', 'env', '[{env:EMPTY}]', '[]'],
    ['a file gives its content', 'oauth', '{file:./key.txt}', '<file ./key.txt>'],
    [
      'a placeholder in the path of a file fails',
      'env',
      '{file:{env:SET}/k}',
      'failed: unsupported {file:{env:SET}',
    ],
    ['a value with quotes stays a value', 'command', '{env:HOSTILE}', '"},"z":{"command":"touch"}\\'],
    ['a value is never read again', 'cwd', '{env:LOOP}', loop],
    ['Claude’s spelling is text', 'url', '${SET}', '${SET}'],
    ['there are no defaults', 'env', '[{env:SET:-d}]', '[]'],
    ['a name reaches to the first brace', 'env', '[{env:A{env:SET}}]', '[}]'],
    ['nothing between is text', 'env', '{env:}{file:}{env:SET', '{env:}{file:}{env:SET'],
  ],
  vscode: [
    ['a set variable gives its value', 'args', '${env:SET}', 'value'],
    ['an unset variable gives empty', 'env', '[${env:UNSET}]', '[]'],
    ['an input is asked for', 'headers', 'Bearer ${input:tok}', 'Bearer <answer tok>'],
    ['the workspace is known', 'cwd', '${workspaceFolder}/a', '<workspaceFolder>/a'],
    ['its name is known', 'args', '${workspaceFolderBasename}', '<workspaceFolderBasename>'],
    [
      'the home folder is known',
      'command',
      '${userHome}${/}x${pathSeparator}',
      '<userHome><pathSeparator>x<pathSeparator>',
    ],
    ['a setting of the editor fails', 'url', '${config:a.b}', 'failed: unsupported ${config:a.b}'],
    ['a command of the editor fails', 'oauth', '${command:x}', 'failed: unsupported ${command:x}'],
    ['the open file fails', 'args', '${file}', 'failed: unsupported ${file}'],
    ['a named folder fails', 'args', '${workspaceFolder:api}', 'failed: unsupported ${workspaceFolder:api}'],
    [
      'an extension’s folder fails',
      'args',
      '${extensionInstallFolder:x}',
      'failed: unsupported ${extensionInstallFolder:x}',
    ],
    ['Claude’s spelling is text', 'args', '${SET} $SET', '${SET} $SET'],
    ['there are no defaults', 'args', '${env:UNSET:-d}', '${env:UNSET:-d}'],
    ['a value is never read again', 'env', '${env:LOOP}', loop],
  ],
  cursor: [
    ['a set variable gives its value', 'oauth', '${env:SET}', 'value'],
    ['an unset variable fails', 'headers', '${env:UNSET}', 'failed: variable UNSET'],
    ['an empty variable gives empty', 'env', '[${env:EMPTY}]', '[]'],
    ['places are known', 'command', '${workspaceFolder}${/}bin', '<workspaceFolder><pathSeparator>bin'],
    ['an input is text', 'args', '${input:x}', '${input:x}'],
    ['a folder holds no placeholders', 'cwd', '${env:SET}', '${env:SET}'],
    ['a placeholder in a name stays as written', 'args', '${env:A${env:SET}}', '${env:A${env:SET}}'],
  ],
  windsurf: [
    ['a set variable gives its value', 'headers', '${env:SET}', 'value'],
    ['an unset variable fails', 'url', '${env:UNSET}', 'failed: variable UNSET'],
    ['a file gives its content', 'headers', 'Bearer ${file:/run/s}', 'Bearer <file /run/s>'],
    ['the workspace is text', 'args', '${workspaceFolder}', '${workspaceFolder}'],
    ['OAuth settings hold no placeholders', 'oauth', '${env:SET}', '${env:SET}'],
  ],
  'env-prefix': [
    ['a set variable gives its value', 'cwd', '${env:SET}', 'value'],
    ['an unset variable stays as written', 'headers', '${env:UNSET}', '${env:UNSET} | lacks UNSET'],
    ['an empty variable gives empty', 'env', '[${env:EMPTY}]', '[]'],
    ['the workspace is text', 'args', '${workspaceFolder}', '${workspaceFolder}'],
    ['a placeholder inside another is found', 'args', '${env:A${env:SET}}', '${env:Avalue}'],
  ],
  roo: [
    ['a set variable gives its value', 'args', '${env:SET}', 'value'],
    ['an unset variable stays as written', 'args', '${env:UNSET}', '${env:UNSET} | lacks UNSET'],
    ['the workspace is known', 'args', '${workspaceFolder}/x', '<workspaceFolder>/x'],
  ],
  'amazon-q': [
    ['a set variable gives its value', 'env', '${env:SET}', 'value'],
    ['an unset variable stays as written', 'headers', '${env:UNSET}', '${env:UNSET} | lacks UNSET'],
    ['arguments hold no placeholders', 'args', '${env:SET}', '${env:SET}'],
  ],
  copilot: [
    ['both spellings give the value', 'args', '$SET-${SET}', 'value-value'],
    ['an unset variable stays as written', 'env', '$UNSET', '$UNSET | lacks UNSET'],
    ['a default stands in for an unset variable only', 'headers', '${UNSET:-d}${EMPTY:-d}', 'd'],
    ['a dollar before anything else is text', 'env', '$ $5 $$ 5$', '$ $5 $$ 5$'],
    ['a value is never read again', 'env', '$LOOP', loop],
  ],
  gemini: [
    ['both spellings give the value', 'headers', '$SET-${SET}', 'value-value'],
    [
      'an unset variable stays as written (measured)',
      'headers',
      'Bearer $UNSET',
      'Bearer $UNSET | lacks UNSET',
    ],
    ['an unset variable gives empty in the environment', 'env', '[$UNSET${UNSET}]', '[]'],
    ['a set but empty variable gives empty, not the default (measured)', 'args', '[${EMPTY:-d}]', '[]'],
    ['the same in the environment', 'env', '[${EMPTY:-d}${UNSET:-e}]', '[e]'],
    ['%V% gives the value in the environment', 'env', '%SET%|%UNSET%|%SET', 'value||%SET'],
    ['%V% is text elsewhere', 'args', '%SET%', '%SET%'],
    ['a value is never read again', 'env', '${LOOP}', loop],
    ['a placeholder in a default stays as written', 'args', '${UNSET:-$SET}', '$SET'],
  ],
  'gemini-extension': [
    ['its folders are known', 'args', '${extensionPath}${/}a', '<extensionPath><pathSeparator>a'],
    ['the workspace is known in the environment too', 'env', '${workspacePath}', '<workspacePath>'],
    ['variables are read as in settings', 'headers', '$SET${UNSET:-d}', 'valued'],
  ],
  qwen: [
    ['both spellings give the value', 'args', '$SET-${SET}', 'value-value'],
    ['an unset variable stays as written in the environment too', 'env', '$UNSET', '$UNSET | lacks UNSET'],
    ['a default stands in for an unset variable only', 'env', '${UNSET:-d}${EMPTY:-d}', 'd'],
  ],
  crush: [
    ['both spellings give the value', 'args', '$SET-${SET}', 'value-value'],
    ['an unset variable gives empty', 'headers', '[$UNSET${UNSET}]', '[]'],
    ['the default stands in for an empty variable too', 'env', '${EMPTY:-d}${UNSET:-e}', 'de'],
    ['a command gives its output', 'headers', 'Bearer $(gh auth token)', 'Bearer <output gh auth token>'],
    ['a backslash escapes', 'env', '\\$SET \\${SET} \\\\', '$SET ${SET} \\'],
    [
      'a default that is no plain text fails',
      'env',
      '${UNSET:-$(rm x)}',
      'failed: unsupported ${UNSET:-$(rm x)}',
    ],
    ['a folder holds no placeholders', 'cwd', '$SET', '$SET'],
    ['a value is never read again', 'env', '$LOOP', loop],
  ],
  goose: [
    ['all spellings give the value', 'headers', '${SET} ${ SET } $SET', 'value value value'],
    [
      'an unset variable stays as written',
      'url',
      'https://h/${ UNSET }',
      'https://h/${ UNSET } | lacks UNSET',
    ],
    ['the environment holds no placeholders', 'env', '$SET', '$SET'],
    ['there are no defaults', 'headers', '${SET:-d}', '${SET:-d}'],
    ['a placeholder inside another is found', 'headers', '${A${SET}}', '${Avalue}'],
  ],
  continue: [
    ['a secret is a variable', 'headers', 'Bearer ${{ secrets.SET }}', 'Bearer value'],
    ['blanks do not matter', 'env', '${{secrets.SET}}', 'value'],
    ['an unset secret stays as written', 'env', '${{ secrets.UNSET }}', '${{ secrets.UNSET }} | lacks UNSET'],
    ['an input is asked for', 'args', '${{ inputs.region }}', '<answer region>'],
    [
      'a secret of the hub fails',
      'env',
      '${{ secrets.acme/pack/K }}',
      'failed: unsupported ${{ secrets.acme/pack/K }}',
    ],
    ['another name fails', 'env', '${{ env.SET }}', 'failed: unsupported ${{ env.SET }}'],
    ['a name that is cut short fails', 'env', '${{ secrets. }}', 'failed: unsupported ${{ secrets. }}'],
    ['what is no name is text', 'env', '${{ a b }}${{ }}${{}}', '${{ a b }}${{ }}${{}}'],
    ['single braces are text', 'env', '${SET}', '${SET}'],
  ],
  'continue-json': [
    ['single braces are secrets too', 'env', '${SET}', 'value'],
    ['an unset one stays as written', 'headers', '${UNSET}', '${UNSET} | lacks UNSET'],
    ['double braces are secrets', 'env', '${{ secrets.SET }}', 'value'],
    ['there are no defaults', 'env', '${UNSET:-d}', '${UNSET:-d}'],
  ],
  kiro: [
    ['a set variable gives its value', 'env', '${SET}', 'value'],
    ['an unset variable fails', 'headers', '${UNSET}', 'failed: variable UNSET'],
    ['there are no defaults', 'env', '${UNSET:-d}', '${UNSET:-d}'],
    ['arguments hold no placeholders', 'args', '${SET}', '${SET}'],
  ],
  factory: [
    ['the environment is filled in (measured)', 'env', '${SET}', 'value'],
    ['arguments are not (measured)', 'args', '${SET}', '${SET}'],
    ['an unset variable fails (measured)', 'env', '${UNSET}', 'failed: variable UNSET'],
    ['a default stands in for an unset variable only', 'headers', '${UNSET:-d}${EMPTY:-d}', 'd'],
  ],
  grok: [
    ['a set variable gives its value', 'args', '${SET}', 'value'],
    ['an unset variable fails', 'env', '${UNSET}', 'failed: variable UNSET'],
    ['a default stands in', 'headers', '${UNSET:-d}', 'd'],
    ['the session fails', 'headers', '{{session_id}}', 'failed: unsupported {{session_id}}'],
    ['other double braces are text', 'headers', '{{x}}', '{{x}}'],
  ],
  pi: [
    ['all spellings give the value', 'env', '${SET} $env:SET {env:SET}', 'value value value'],
    ['an unset variable gives empty', 'headers', '[${UNSET}$env:UNSET{env:UNSET}]', '[]'],
    ['an unset variable in the URL fails', 'url', 'https://h/${UNSET}', 'failed: variable UNSET'],
    ['a command runs for a variable', 'env', '!pass show k', '<output pass show k>'],
    ['!! writes a text that begins with !', 'headers', '!!a${SET}', '!avalue'],
    ['! in a folder is text', 'cwd', '!${SET}', '!value'],
    ['arguments hold no placeholders', 'args', '${SET}', '${SET}'],
    ['there are no defaults', 'env', '${SET:-d}', '${SET:-d}'],
    ['a name needs a character', 'env', '$env: {env:} ${}', '$env: {env:} ${}'],
    ['a value is never read again', 'env', '${LOOP}', loop],
  ],
  mcporter: [
    ['a set variable gives its value', 'url', 'https://h/${SET}', 'https://h/value'],
    [
      'an unset variable in a header fails, naming it',
      'headers',
      'Bearer ${UNSET}',
      'failed: variable UNSET',
    ],
    ['a whole value in the environment gives empty', 'env', '${UNSET}', ''],
    ['a part of a value in the environment fails', 'env', 'a${UNSET}', 'failed: variable UNSET'],
    ['so does one with more behind it', 'env', '${UNSET}-a', 'failed: variable UNSET'],
    ['two placeholders are no whole value', 'env', '${SET}/${EMPTY}', 'value/'],
    ['the default stands in for an empty variable too', 'headers', '${EMPTY:-d}', 'd'],
    ['a whole value takes other signs for a default', 'env', '${UNSET-d:-e}', 'd:-e'],
    ['and the colon alone', 'env', '${EMPTY:d}', 'd'],
    ['and :- as everywhere', 'env', '${UNSET:-d}', 'd'],
    ['a whole value without a name is text', 'env', '${-d}', '${-d}'],
    ['$env:V as a whole header gives the value', 'headers', '$env:SET', 'value'],
    ['$env:V unset fails', 'env', '$env:UNSET', 'failed: variable UNSET'],
    ['$env:V within a value is text', 'headers', 'a $env:SET', 'a $env:SET'],
    ['$env: without a name is text', 'headers', '$env:', '$env:'],
    ['a backslash escapes', 'args', '\\${SET} \\${UNSET:-d}', '${SET} ${UNSET:-d}'],
    ['a backslash before anything else is text', 'args', '\\a \\${ \\', '\\a \\${ \\'],
    ['${env:V} is refused', 'env', '${env:SET}', 'failed: unsupported ${env:SET}'],
    ['a placeholder inside another is found', 'args', '${A${SET}}', '${Avalue}'],
  ],
  '1mcp': [
    ['all spellings give the value', 'oauth', '$SET ${SET} ${ SET }', 'value value value'],
    [
      'an unset variable stays as written',
      'cwd',
      '${UNSET}$UNSET',
      '${UNSET}$UNSET | lacks UNSET | lacks UNSET',
    ],
    ['there are no defaults', 'args', '${UNSET:-d}', '${UNSET:-d}'],
  ],
  warp: [
    ['a set variable gives its value', 'cwd', '${SET}', 'value'],
    ['an unset variable fails', 'args', '${UNSET}', 'failed: variable UNSET'],
  ],
  amp: [
    ['a set variable gives its value', 'args', '${SET}', 'value'],
    ['an unset variable fails', 'headers', '${UNSET}', 'failed: variable UNSET'],
  ],
  none: [
    [
      'everything is text',
      'env',
      '${SET} $SET {env:SET} %SET% ${env:SET}',
      '${SET} $SET {env:SET} %SET% ${env:SET}',
    ],
    ['a command is text', 'headers', '!pass', '!pass'],
    ['nothing is nothing', 'url', '', ''],
  ],
} as const satisfies Record<DialectId, readonly Row[]>;

const isDialectId = (id: string): id is DialectId => Object.hasOwn(dialects, id);

for (const dialect of Object.keys(table).filter(isDialectId)) {
  describe(`the dialect ${dialect}`, () => {
    test.each<Row>([...table[dialect]])('%s (%s: %j)', (_promise, field, text, outcome) => {
      expect(fill(dialect, field, text)).toBe(outcome);
    });
  });
}

const shownByEditor =
  'cwd execPath file fileBasename fileBasenameNoExtension fileDirname fileExtname fileDirnameBasename ' +
  'fileWorkspaceFolder relativeFile relativeFileDirname lineNumber columnNumber selectedText defaultBuildTask';

test.each(shownByEditor.split(' '))('VS Code: ${%s}, which only the editor knows, fails', (name) => {
  expect(fill('vscode', 'args', `a\${${name}}b`)).toBe(`failed: unsupported \${${name}}`);
});
