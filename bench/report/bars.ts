/** The comparison as a picture: a small chart per row, its base a line at 1. */

import { chosen, writeRatio, type PeersRecord, type Row } from './record.ts';

const panel = { width: 430, labels: 84, values: 44, top: 34, bar: 15, gap: 4, below: 26 };
const perLine = 2;

const style = `text{font:12px system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;fill:#24292f}
.title{font-weight:600;font-size:13px}.soft{fill:#57606a}.card{fill:#ffffff}.peer{fill:#afb8c1}.own{fill:#0969da}.base{stroke:#57606a}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.soft{fill:#9198a1}.card{fill:#0d1117}.peer{fill:#484f58}.own{fill:#4493f8}.base{stroke:#9198a1}}`;

export function peersPicture(record: PeersRecord): string {
  const rows = chosen(record);
  const height = panelHeight(record);
  const size = { width: panel.width * perLine + 24, height: height * Math.ceil(rows.length / perLine) + 24 };
  const panels = rows.map((row, at) => {
    const x = 12 + (at % perLine) * panel.width;
    const y = 12 + Math.floor(at / perLine) * height;
    return `<g transform="translate(${x} ${y})">\n${panelOf(row, record)}\n</g>`;
  });
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="holt beside others, as ratios">`,
    `<style>${style}</style>`,
    '<rect class="card" width="100%" height="100%" rx="8"/>',
    ...panels,
    '</svg>',
  ].join('\n')}\n`;
}

function panelHeight({ columns }: PeersRecord): number {
  return panel.top + columns.length * (panel.bar + panel.gap) + panel.below;
}

function panelOf(row: Row, { columns }: PeersRecord): string {
  const ratios = Object.values(row.cells).flatMap((cell) => ('ratio' in cell ? [cell.ratio] : []));
  const room = panel.width - panel.labels - panel.values - 12;
  const scale = room / Math.max(1, ...ratios);
  const baseAt = round(panel.labels + scale);
  const bottom = panel.top + columns.length * (panel.bar + panel.gap);
  const base = row.base === 'node' ? 'node -e 0' : 'floor';
  const better = row.better === 'more' ? 'more is better' : 'less is better';
  return [
    `<text class="title" x="0" y="14">${escapeXml(row.title.replaceAll('`', ''))}</text>`,
    `<text class="soft" x="0" y="28">× ${base}, ${better}</text>`,
    ...columns.map(({ id, name }, at) => {
      const y = panel.top + at * (panel.bar + panel.gap);
      return barOf({ id, name, y, scale }, row);
    }),
    `<line class="base" x1="${baseAt}" y1="${panel.top - 2}" x2="${baseAt}" y2="${bottom}" stroke-dasharray="3 3"/>`,
  ].join('\n');
}

interface Place {
  readonly id: string;
  readonly name: string;
  readonly y: number;
  readonly scale: number;
}

function barOf({ id, name, y, scale }: Place, row: Row): string {
  const middle = y + panel.bar - 3;
  const label = `<text x="${panel.labels - 6}" y="${middle}" text-anchor="end">${escapeXml(name)}</text>`;
  const cell = row.cells[id];
  if (cell === undefined || 'why' in cell)
    return `${label}<text class="soft" x="${panel.labels + 4}" y="${middle}">–</text>`;
  const width = round(cell.ratio * scale);
  const kind = id === 'holt' ? 'own' : 'peer';
  return `${label}<rect class="${kind}" x="${panel.labels}" y="${y}" width="${width}" height="${panel.bar}" rx="2"/><text x="${round(panel.labels + width + 5)}" y="${middle}">${writeRatio(cell.ratio)}</text>`;
}

const round = (value: number): number => Number(value.toFixed(1));

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
