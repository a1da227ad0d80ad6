/** The licenses of the bundled packages, in the form that they require. */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** `folders` are those of the packages, from the root. */
export function collectLicenses(root, folders) {
  const texts = folders.map((folder) => licenseOf(path.join(root, folder))).toSorted();
  return `holt ships code of these packages.\n\n${[...new Set(texts)].join(`\n${'-'.repeat(80)}\n`)}`;
}

function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined && license === undefined) throw new Error(`${name} does not name its license`);
  const text = file === undefined ? '' : readFileSync(path.join(folder, file), 'utf8').trim();
  return `${name} ${version} (${license})\n\n${text}\n`;
}
