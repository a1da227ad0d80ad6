/** Ranking over tools such as real servers offer, and over ten thousand of them. */

import { describe, expect, test } from 'vitest';

import { realisticTools } from '../../tests/support/realistic-tools.ts';
import { createToolIndex, type SearchableTool } from './tool-search.ts';
import { cpuMs } from '../../tests/support/cpu-time.ts';

function tool(
  server: string,
  name: string,
  description: string,
  parameters: readonly string[] = [],
): SearchableTool {
  const properties = Object.fromEntries(parameters.map((parameter) => [parameter, { type: 'string' }]));
  return {
    server,
    name: `mcp__${server}__${name}`,
    description,
    inputSchema: { type: 'object', properties },
  };
}

const tools: readonly SearchableTool[] = [
  tool('fs', 'read_file', 'Read the complete contents of a file from the file system', [
    'path',
    'head',
    'tail',
  ]),
  tool('fs', 'write_file', 'Create a new file or overwrite an existing file with new content', [
    'path',
    'content',
  ]),
  tool('fs', 'edit_file', 'Make line-based edits to a text file', ['path', 'edits', 'dryRun']),
  tool('fs', 'list_directory', 'Get a listing of all files and directories in a path', ['path']),
  tool('fs', 'search_files', 'Recursively search for files matching a pattern', ['path', 'pattern']),
  tool('github', 'create_issue', 'Create a new issue in a repository', [
    'owner',
    'repo',
    'title',
    'body',
    'labels',
  ]),
  tool('github', 'list_issues', 'List issues in a repository with filters', ['owner', 'repo', 'state']),
  tool('github', 'add_issue_comment', 'Add a comment to an existing issue', [
    'owner',
    'repo',
    'issue_number',
  ]),
  tool('github', 'create_pull_request', 'Create a new pull request', ['owner', 'repo', 'head', 'base']),
  tool('github', 'merge_pull_request', 'Merge a pull request', ['owner', 'repo', 'pull_number']),
  tool('github', 'search_code', 'Search for code across repositories', ['q', 'per_page']),
  tool('slack', 'post_message', 'Send a message to a channel', ['channel_id', 'text']),
  tool('slack', 'list_channels', 'List public channels in the workspace', ['limit', 'cursor']),
  tool('postgres', 'query', 'Run a read-only SQL query', ['sql']),
  tool('browser', 'navigate', 'Go to a web page', ['url']),
  tool('browser', 'takeScreenshot', 'Capture the current page as an image', ['fullPage', 'selector']),
  tool('weather', 'forecast', 'Vorhersage für Städte in Europa: Wetter, Temperatur', ['stadt']),
  tool('wiki', 'search', '在维基百科中搜索文章', ['keyword']),
];
const index = createToolIndex(tools);

function best(query: string, options: { limit?: number; server?: string } = {}): readonly string[] {
  return index
    .search(query, options)
    .map(({ at }) => tools[at]?.name.replace('mcp__', '').replace('__', '.') ?? '');
}

describe('searching tools', () => {
  test.each([
    ['read file', 'fs.read_file'],
    ['read_file', 'fs.read_file'],
    ['mcp__fs__read_file', 'fs.read_file'],
    ['readFile', 'fs.read_file'],
    ['overwrite existing content', 'fs.write_file'],
    ['open an issue on github', 'github.create_issue'],
    ['create issue', 'github.create_issue'],
    ['list issues', 'github.list_issues'],
    ['issue comments', 'github.add_issue_comment'],
    ['merge PR pull request', 'github.merge_pull_request'],
    ['send a message to slack', 'slack.post_message'],
    ['sql', 'postgres.query'],
    ['take screenshot', 'browser.takeScreenshot'],
    ['screen', 'browser.takeScreenshot'],
    ['navig', 'browser.navigate'],
    ['searching code', 'github.search_code'],
    ['chanels', 'slack.list_channels'],
    ['serach fiels', 'fs.search_files'],
    ['direcotry', 'fs.list_directory'],
    ['screenshoot', 'browser.takeScreenshot'],
    ['stadte', 'weather.forecast'],
    ['搜索', 'wiki.search'],
    ['fullPage', 'browser.takeScreenshot'],
    ['issue_number', 'github.add_issue_comment'],
  ])('%s finds %s first', (query, name) => {
    expect(best(query)[0]).toBe(name);
  });

  test('a name that is nothing but the words comes before longer ones', () => {
    const two = [
      tool('s', 'get_user_profile_picture', 'x'),
      tool('s', 'get_user', 'x y z and some more words'),
    ];
    expect(createToolIndex(two).search('get user')[0]?.at).toBe(1);
  });

  test('a tool that has all the words comes before one that is all about one of them', () => {
    const two = [
      tool('s', 'zebra_house', 'The zebra, the zebra and the zebra'),
      tool('s', 'note', 'Files a zebra and a quagga'),
      ...Array.from({ length: 8 }, (_, at) => tool('s', `other_${at}`, 'Something else')),
    ];
    expect(createToolIndex(two).search('zebra quagga')[0]?.at).toBe(1);
  });

  test('only tools of the server are found when one is named, and no more than asked for', () => {
    expect(best('search', { server: 'github' })).toEqual(['github.search_code']);
    expect(best('file', { limit: 2 })).toHaveLength(2);
    expect(best('file', { limit: 0 })).toEqual([]);
    expect(best('repository owner path title', { limit: 100 }).length).toBeGreaterThan(8);
  });

  test('scores fall, and one search does not colour the next', () => {
    const first = index.search('create a new issue');
    index.search('file');
    const second = index.search('create a new issue');
    expect(second).toEqual(first);
    expect(first.map(({ score }) => score)).toEqual(
      first.map(({ score }) => score).toSorted((a, b) => b - a),
    );
  });

  test.each(['', '   ', '_-_', 'qqqqqqqqqq', '\ud800', 'x'.repeat(100_000)])('nothing fits %j', (query) => {
    expect(index.search(query)).toEqual([]);
  });

  test('odd tools and an empty list are searched like any other', () => {
    expect(createToolIndex([]).search('file')).toEqual([]);
    const odd: readonly SearchableTool[] = [
      { name: '', server: '', inputSchema: undefined },
      { name: '__proto__', server: 'constructor', inputSchema: { properties: { constructor: null } } },
      { name: 'toString', server: 's', inputSchema: { properties: [] }, description: 'hasOwnProperty' },
    ];
    expect(
      createToolIndex(odd)
        .search('proto')
        .map(({ at }) => at),
    ).toEqual([1]);
    expect(
      createToolIndex(odd)
        .search('constructor')
        .map(({ at }) => at),
    ).toEqual([1]);
    expect(
      createToolIndex(odd)
        .search('string')
        .map(({ at }) => at),
    ).toEqual([2]);
  });

  test('a search over ten thousand tools takes less than 5 ms', () => {
    const many = realisticTools(10_000);
    const large = createToolIndex(many);
    const queries = [
      'create issue',
      'serach mesage',
      'how do I send a message in slack',
      'upd tab',
      'co',
      'zzzzzzzz',
    ];
    const times = Array.from({ length: 120 }, (_, round) => {
      const start = cpuMs();
      large.search(queries[round % queries.length] ?? '');
      return cpuMs() - start;
    }).toSorted((left, right) => left - right);
    expect(times[Math.floor(times.length * 0.9)]).toBeLessThan(5);
    expect(many[large.search('create issue')[0]?.at ?? -1]?.name).toMatch(/__create_issue$/);
  });
});
