/** What the bench wrote about holt and others: nothing in table, picture and README was typed by hand. Measures nothing. */

import fs from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { peersPicture } from '../bench/report/bars.ts';
import { chosen, chosenRows, describeRun, writeRatio, type PeersRecord } from '../bench/report/record.ts';
import { peersPage, ratiosOutside, readmeSection, withSection } from '../bench/report/table.ts';

const root = path.join(import.meta.dirname, '..');
const read = (name: string): string => fs.readFileSync(path.join(root, name), 'utf8');
const results = (name: string): string => read(`bench/results/${name}`);

describe('what is in the tree', () => {
  const record = JSON.parse(results('peers.json')) as PeersRecord; // the bench's own file

  test('the table is what peers.json gives', () => {
    expect(results('peers.md')).toBe(peersPage(record));
  });

  test('the picture is what peers.json gives', () => {
    expect(results('peers.svg')).toBe(peersPicture(record));
  });

  test('the section of the README is what peers.json gives', () => {
    const readme = read('README.md');
    expect(readme).toBe(withSection(readme, record));
  });

  test('the README has no ratio outside of that section', () => {
    expect(ratiosOutside(read('README.md'))).toEqual([]);
  });

  test('every row has a cell for everybody, and every ratio is a number', () => {
    const ids = record.columns.map(({ id }) => id);
    for (const { id, cells } of record.rows) {
      expect([id, Object.keys(cells)]).toEqual([id, ids]);
      const ratios = Object.values(cells).flatMap((cell) => ('ratio' in cell ? [cell.ratio] : []));
      expect([id, ratios.filter((ratio) => !(ratio > 0))]).toEqual([id, []]);
    }
  });

  test('all rows that the README wants were measured', () => {
    expect(chosen(record).map(({ id }) => id)).toEqual(chosenRows);
  });

  test('the versions are those of the lock file, and the SDK is the one holt is built with', () => {
    const lock = read('tools/peers/package-lock.json');
    const { packages } = JSON.parse(lock) as { packages: Record<string, { version?: string }> }; // npm's form
    const own = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> }; // npm's form
    const others = Object.entries(record.versions).filter(([name]) => name !== 'holt');
    expect(others).toEqual(others.map(([name]) => [name, packages[`node_modules/${name}`]?.version]));
    expect(record.versions['@modelcontextprotocol/client']).toBe(
      own.devDependencies['@modelcontextprotocol/client'],
    );
    expect(lock).not.toContain('"resolved"');
  });
});

describe('how it is written', () => {
  const record: PeersRecord = {
    at: '2026-02-03T04:05:06.000Z',
    node: 'v24.1.0',
    machine: { cores: 2, model: 'Quick ', load: { start: [0.1, 0, 0], end: [1.2, 0, 0] } },
    versions: { holt: '1.0.0', '@other/one': '2.0.0', two: '3.0.0' },
    columns: [
      { id: 'holt', name: 'holt', from: 'holt' },
      { id: 'one', name: 'One', from: '@other/one' },
      { id: 'two', name: 'two', from: 'two' },
    ],
    rows: [
      {
        id: 'version',
        title: 'command: `--version`',
        base: 'node',
        better: 'less',
        rounds: 3,
        baseValue: { value: 40, unit: 'ms' },
        cells: { holt: { ratio: 1.054 }, one: { why: 'A library.' }, two: { ratio: 12.34 } },
      },
      {
        id: 'calls-stdio-rate',
        title: 'calls <64>',
        base: 'floor',
        better: 'more',
        rounds: 3,
        baseValue: { value: 9000, unit: 'per second' },
        cells: { holt: { ratio: 0.5 }, one: { ratio: 0.25 }, two: { why: 'Did not finish.' } },
      },
      {
        id: 'import',
        title: 'import',
        base: 'node',
        better: 'less',
        rounds: 5,
        baseValue: { value: 40, unit: 'ms' },
        cells: { holt: { ratio: 2 }, one: { why: 'A library.' }, two: { why: 'Did not finish.' } },
      },
    ],
  };

  test.each([
    [0.954, '0.95'],
    [1, '1.00'],
    [9.994, '9.99'],
    [12.34, '12.3'],
    [122.01, '122.0'],
  ])('%d is written %s', (ratio, written) => {
    expect(writeRatio(ratio)).toBe(written);
  });

  test('a run says day, Node, machine, load, rounds and versions', () => {
    expect(describeRun(record)).toBe(
      '2026-02-03, Node 24.1.0, 2 cores (Quick), load 0.1 at the start and 1.2 at the end, medians of 3 to 5 rounds: holt 1.0.0, One (@other/one) 2.0.0, two 3.0.0.',
    );
  });

  test('the table has every row, with a note per reason', () => {
    const lines = peersPage(record).split('\n');
    expect(lines.filter((line) => /^(\||\d\.)/.test(line))).toEqual([
      '|  | × | holt | One | two |',
      '| --- | --- | --: | --: | --: |',
      '| command: `--version` | `node -e 0` | 1.05 | – <sup>1</sup> | 12.3 |',
      '| calls <64> ↑ | floor | 0.50 | 0.25 | – <sup>2</sup> |',
      '| import | `node -e 0` | 2.00 | – <sup>1</sup> | – <sup>2</sup> |',
      '1. A library.',
      '2. Did not finish.',
    ]);
  });

  test('the section has only the chosen rows, without notes', () => {
    expect(
      readmeSection(record)
        .split('\n')
        .filter((line) => line.startsWith('|')),
    ).toEqual([
      '|  | × | holt | One | two |',
      '| --- | --- | --: | --: | --: |',
      '| command: `--version` | `node -e 0` | 1.05 | – | 12.3 |',
      '| calls <64> ↑ | floor | 0.50 | 0.25 | – |',
    ]);
  });

  test('only the section of a README is replaced', () => {
    const readme = 'before\n<!-- bench -->\nold 3.1 ×\n<!-- /bench -->\nafter\n';
    const written = withSection(readme, record);
    expect(written).toBe(`before\n${readmeSection(record)}\nafter\n`);
    expect(withSection(written, record)).toBe(written);
  });

  test('a README without marks is left alone', () => {
    expect(() => withSection('no marks\n', record)).toThrow(
      'README.md has no <!-- bench --> … <!-- /bench -->',
    );
  });

  test('a ratio outside of the section is found, however it is spaced', () => {
    const readme = 'a 1.2 × b\n<!-- bench -->\n3 ×\n<!-- /bench -->\n12×\n3 x 4\n';
    expect(ratiosOutside(readme)).toEqual(['a 1.2 × b', '12×']);
  });

  test('the picture has a bar per ratio, in proportion, and no bar where there is none', () => {
    const bars = [...peersPicture(record).matchAll(/class="(own|peer)" x="\d+" y="\d+" width="([\d.]+)"/g)];
    const widths = bars.map(([, kind, width]) => [kind, Number(width)]);
    expect(widths).toEqual([
      ['own', expect.closeTo((290 * 1.054) / 12.34, 0)],
      ['peer', 290],
      ['own', 145],
      ['peer', 72.5],
    ]);
  });

  test('the picture escapes text in its markup', () => {
    const picture = peersPicture(record);
    expect(picture).toContain('>calls &lt;64&gt;</text>');
    expect(picture).not.toContain('http://fonts');
  });
});
