/** Connects N fixture servers, reports it, and keeps running. `holds-servers.mjs HOME N FIXTURE [ARGUMENTS]` */

import path from 'node:path';

import { openHost } from '../../dist/index.js';

const [home, count, name, ...args] = process.argv.slice(2);
const folder = path.join(import.meta.dirname, '..', '..', 'tests', 'fixtures', 'servers');
const entry = { command: process.execPath, args: [path.join(folder, `${name}.mjs`), ...args] };
const servers = Object.fromEntries(Array.from({ length: Number(count) }, (_, at) => [`s${at}`, entry]));
const host = await openHost({ home, cwd: home, servers });
console.log(JSON.stringify(await host.connect()));
setInterval(() => undefined, 60_000);
