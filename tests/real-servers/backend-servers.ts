/** Servers that need a backend: a browser, a database, a service. They start without it and return an error when called. */

import { byOption, dummyKey, http, nobody, same, server, sse, type ZooServer } from './zoo-server.ts';

export const backendServers: readonly ZooServer[] = [
  server({
    package: '@playwright/mcp',
    program: 'cli.js',
    args: ['--headless', '--cdp-endpoint', nobody],
    remote: [
      http(byOption('--headless', '--cdp-endpoint', nobody), /Listening on/),
      sse(byOption('--headless', '--cdp-endpoint', nobody), /Listening on/),
    ],
    call: same('browser_close'),
  }),
  server({
    package: 'chrome-devtools-mcp',
    program: 'build/src/bin/chrome-devtools-mcp.js',
    args: ['--browserUrl', nobody],
    env: { CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS: '1', CHROME_DEVTOOLS_MCP_NO_USAGE_STATISTICS: '1' },
    call: same('list_pages'),
  }),
  // The one that keeps no sessions: it answers 2026-07-28.
  server({
    package: '@upstash/context7-mcp',
    program: 'dist/index.js',
    era: 'stateless',
    remote: [http(byOption('--transport', 'http'), /running on HTTP/)],
  }),
  server({
    package: '@notionhq/notion-mcp-server',
    program: 'bin/cli.mjs',
    env: { NOTION_TOKEN: dummyKey, BASE_URL: nobody },
    remote: [http(byOption('--transport', 'http', '--unsafe-disable-auth'), /listening on/)],
    call: same('API-get-self'),
  }),
  server({
    package: '@antv/mcp-server-chart',
    program: 'build/index.js',
    env: { VIS_REQUEST_SERVER: nobody },
    remote: [
      http(byOption('--transport', 'streamable'), /listening on/),
      sse(byOption('--transport', 'sse'), /listening on/),
    ],
    call: same('generate_pie_chart', { data: [{ category: 'all of it', value: 1 }] }),
  }),
  server({
    package: '@hubspot/mcp-server',
    program: 'dist/index.js',
    env: { PRIVATE_APP_ACCESS_TOKEN: dummyKey, BASE_URL_OVERRIDE: nobody },
    call: same('hubspot-get-user-details'),
  }),
  server({
    package: '@brave/brave-search-mcp-server',
    program: 'dist/index.js',
    env: { BRAVE_API_KEY: dummyKey },
    remote: [http(byOption('--transport', 'http'), /running on/)],
  }),
  server({
    package: 'airtable-mcp-server',
    program: 'dist/main.js',
    env: { AIRTABLE_API_KEY: dummyKey },
    remote: [
      http((port) => ({ args: [], env: { MCP_TRANSPORT: 'http', PORT: String(port) } }), /running on/),
    ],
  }),
  // From here on: built on the first SDK there was, they answer 2024-11-05.
  server({
    package: '@modelcontextprotocol/server-postgres',
    program: 'dist/index.js',
    args: ['postgresql://127.0.0.1:9/none'],
    call: same('query', { sql: 'select 1' }),
  }),
  server({
    package: '@modelcontextprotocol/server-gitlab',
    program: 'dist/index.js',
    env: { GITLAB_PERSONAL_ACCESS_TOKEN: dummyKey, GITLAB_API_URL: nobody },
    call: same('search_repositories', { search: 'anything' }),
  }),
  server({ package: '@modelcontextprotocol/server-github', program: 'dist/index.js' }),
  server({
    package: '@modelcontextprotocol/server-brave-search',
    program: 'dist/index.js',
    env: { BRAVE_API_KEY: dummyKey },
  }),
  server({
    package: '@modelcontextprotocol/server-google-maps',
    program: 'dist/index.js',
    env: { GOOGLE_MAPS_API_KEY: dummyKey },
  }),
  server({
    package: '@modelcontextprotocol/server-slack',
    program: 'dist/index.js',
    env: { SLACK_BOT_TOKEN: dummyKey, SLACK_TEAM_ID: dummyKey },
  }),
];
