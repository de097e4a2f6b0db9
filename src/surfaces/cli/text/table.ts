import { printable } from './values.ts';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

/** Rows under their titles, as wide as their content; two spaces between columns. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(printable));
  const widths = columns.map(({ title }, at) => Math.max(title.length, ...cells.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    columns
      .map(({ align }, at) => (align === 'right' ? (row[at] ?? '').padStart(widths[at] ?? 0) : (row[at] ?? '').padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd();
  return [line(columns.map(({ title }) => title)), ...cells.map(line)].join('\n');
}

/** `name  value` lines with the values under each other. */
export function pairs(entries: readonly (readonly [string, string])[]): string {
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${printable(value)}`.trimEnd()).join('\n');
}
