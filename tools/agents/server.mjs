/**
 * The MCP server that the agents are given. `--started FILE` notes each start, the words after it, and what it was given
 * in HOLT_GIVEN.
 */

import { appendFileSync } from 'node:fs';

const at = process.argv.indexOf('--started');
const given = process.env.HOLT_GIVEN === undefined ? [] : ['given', process.env.HOLT_GIVEN];
if (at > 0) appendFileSync(process.argv[at + 1], `${[...process.argv.slice(at + 2), ...given].join(' ')}\n`);
await import('../../tests/fixtures/servers/echo.mjs');
