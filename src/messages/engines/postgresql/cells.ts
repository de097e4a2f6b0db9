import type { Cell } from '../result-set/reader.ts';

/** A row as SQLite would tell it, which has no truth values: 1 and 0 stand for them. */
export function cellsOf(row: readonly (Cell | boolean)[]): Cell[] {
  return row.map((cell) => (typeof cell === 'boolean' ? Number(cell) : cell));
}
