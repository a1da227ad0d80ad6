/** Servers that need no backend: files, reasoning, code, images. */

import { alike, byVariable, http, same, server, sse, type ZooCall, type ZooServer } from './zoo-server.ts';

/** The examples of servers with pages of their own are all started in the same way. */
function withPages(name: string, call: ZooCall): ZooServer {
  return server({
    package: `@modelcontextprotocol/server-${name}`,
    program: 'dist/index.js',
    args: ['--stdio'],
    remote: [http(byVariable(), /listening on/)],
    call,
  });
}

export const selfContainedServers: readonly ZooServer[] = [
  server({
    package: '@modelcontextprotocol/server-everything',
    program: 'dist/index.js',
    args: ['stdio'],
    remote: [
      http(byVariable('streamableHttp'), /listening on port/),
      sse(byVariable('sse'), /running on port/),
    ],
    call: same('get-structured-content', { location: 'Chicago' }),
  }),
  server({
    package: '@modelcontextprotocol/server-filesystem',
    program: 'dist/index.js',
    args: ['{folder}'],
    call: same('read_text_file', { path: '{folder}/code.js' }),
  }),
  server({
    package: '@modelcontextprotocol/server-memory',
    program: 'dist/index.js',
    env: { MEMORY_FILE_PATH: '{folder}/memory.jsonl' },
    call: same('read_graph'),
  }),
  server({
    package: '@modelcontextprotocol/server-sequential-thinking',
    program: 'dist/index.js',
    call: same('sequentialthinking', {
      thought: 'one is enough',
      nextThoughtNeeded: false,
      thoughtNumber: 1,
      totalThoughts: 1,
    }),
  }),
  withPages('basic-vanillajs', alike('get-time')),
  withPages('budget-allocator', alike('get-budget-data')),
  withPages('customer-segmentation', alike('get-customer-data')),
  withPages('debug', alike('debug-tool')),
  withPages('map', same('show-map')),
  withPages('sheet-music', same('play-sheet-music')),
  withPages('system-monitor', same('get-system-info')),
  withPages('transcript', same('transcribe')),
  server({
    package: '@cyanheads/git-mcp-server',
    program: 'dist/index.js',
    env: { MCP_LOG_LEVEL: 'info' },
    remote: [
      {
        ...http(
          (port) => ({ args: [], env: { MCP_TRANSPORT_TYPE: 'http', MCP_HTTP_PORT: String(port) } }),
          /listening at/,
        ),
        failsAtQuestion: true,
      },
    ],
    call: same('git_wrapup_instructions', { acknowledgement: 'y' }),
  }),
  server({
    package: '@eslint/mcp',
    program: 'src/mcp-cli.js',
    call: same('lint-files', { filePaths: ['{folder}/code.js'] }),
  }),
  server({
    package: 'mcp-hello-world',
    program: 'build/stdio.js',
    call: same('add', { a: 2, b: 3 }),
  }),
  // stdio alone: over HTTP the SDK's own client cannot connect to it either, in both revisions.
  server({
    package: 'mcp-server-code-runner',
    program: 'dist/cli.js',
    call: same('run-code', { code: 'console.log(6 * 7)', languageId: 'javascript' }),
  }),
  server({
    package: 'mcp-server-commands',
    program: 'build/index.js',
    call: same('run_command', { command: 'echo harmless' }),
  }),
  server({
    package: 'mcp-shrimp-task-manager',
    program: 'dist/index.js',
    env: { DATA_DIR: '{folder}', ENABLE_GUI: 'false' },
    call: same('list_tasks', { status: 'all' }),
  }),
];
