/** The page that lists the real servers that were tested, generated from the test results. */

import { readFileSync } from 'node:fs';
import path from 'node:path';

/** `seen`: one entry for each server and transport whose test passed. */
export function pageOf(seen, folder) {
  const names = [...new Set(seen.map((one) => one.package))].toSorted(byCode);
  const called = new Set(seen.filter((one) => one.tool !== undefined).map((one) => one.package));
  const exact = new Set(seen.filter((one) => one.compared === 'same').map((one) => one.package));
  return [
    '# Real servers',
    '',
    'Written by `npm run test:zoo -- --write`, not by hand, and compared by every run without `--write`.',
    '',
    `${names.length} servers from npm that start without a network and without an account (made-up keys where one is wanted), over ${seen.length} connections (${countsOf(seen)}).`,
    'Over each of them holt connects, twice: anew, and with what it remembered. Both times it negotiates the revision that the',
    "SDK's own client negotiates, lists the same tools, and nothing it started is running afterwards.",
    '',
    `A tool of ${called.size} of them is called through the SDK and, both times, through holt. For ${exact.size} of these the content and the structured part are`,
    'compared in every field the SDK knows and are the same; the answers of the others hold a time or a random part, and are of the same kind.',
    '"Error" means that what stands behind the server (a database, a browser, a service) is not there: the server says so, and what it says',
    'comes through. The rest have no tool that can be tried without their service.',
    '',
    ...seen.filter(({ told }) => told).flatMap((one) => [toldLine(one), '']),
    row(['server', 'version', 'revision', 'transports', 'tools', 'called', 'answer']),
    row(Array.from({ length: 7 }, () => '---')),
    ...names.map((name) => serverRow(name, seen, folder)),
    '',
  ].join('\n');
}

function toldLine({ package: name, transport }) {
  return `\`${name}\` over ${transport}: the SDK's client is told that it speaks the stateful protocol; holt finds out by itself.`;
}

/** The same order on every machine. */
function byCode(one, other) {
  return one < other ? -1 : 1;
}

function countsOf(seen) {
  const count = (transport) => seen.filter((one) => one.transport === transport).length;
  return `${count('stdio')} stdio, ${count('http')} HTTP, ${count('sse')} SSE`;
}

function serverRow(name, seen, folder) {
  const own = seen.filter((one) => one.package === name);
  const { version } = JSON.parse(
    readFileSync(path.join(folder, 'node_modules', name, 'package.json'), 'utf8'),
  );
  const all = (value) => [...new Set(own.map(value))].join(', ');
  return row([
    `\`${name}\``,
    version,
    all((one) => one.protocol),
    all((one) => one.transport),
    all((one) => String(one.tools)),
    all((one) => (one.tool === undefined ? '–' : `\`${one.tool}\``)),
    all((one) => (one.tool === undefined ? '–' : `${one.compared}${one.ok ? '' : ', error'}`)),
  ]);
}

function row(cells) {
  return `| ${cells.join(' | ')} |`;
}
