import { readFileSync } from 'node:fs';

/** The cells of one table of `docs/protocol.md`: row label → column label → text. */
export type ProtocolTable = ReadonlyMap<string, ReadonlyMap<string, string>>;

const TEXT = readFileSync(new URL('../../docs/protocol.md', import.meta.url), 'utf8');

/** Reads the first table below a heading, so that a suite is driven by the page and breaks when the page changes. */
export function protocolTable(heading: string): ProtocolTable {
  const lines = TEXT.split('\n');
  const start = lines.findIndex((line) => line.startsWith('#') && line.includes(heading));
  const first = lines.findIndex((line, index) => index > start && line.startsWith('|'));
  if (start < 0 || first < 0) throw new Error(`docs/protocol.md has no table below '${heading}'`);
  const end = lines.findIndex((line, index) => index > first && !line.startsWith('|'));
  const [columns = [], , ...rows] = lines.slice(first, end).map(cells);
  return new Map(rows.map(([label = '', ...texts]) => [label, new Map(texts.map((text, index) => [columns[index + 1] ?? '', text]))]));
}

function cells(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}
