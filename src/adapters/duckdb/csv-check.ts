import { read } from 'node:fs';
import { promisify } from 'node:util';
import { type CsvShape, checkRecords } from './csv-records.ts';
import { TooLong } from './layout.ts';

const readAt = promisify(read);
const READ = 1024 * 1024;

export interface CsvCheck extends CsvShape {
  /** Where the header row begins. */
  readonly start: number;
  /** Longest record in bytes. */
  readonly longest: number;
}

/** Reads the whole file through one window. Throws Broken, or TooLong for a record that does not fit into it. */
export async function checkCsv(fd: number, { start, longest, ...shape }: CsvCheck): Promise<void> {
  const window = Buffer.allocUnsafeSlow(longest + READ);
  let position = start;
  let filled = 0;
  for (;;) {
    const { bytesRead } = await readAt(fd, window, filled, Math.min(READ, window.length - filled), position);
    position += bytesRead;
    filled += bytesRead;
    const isLast = bytesRead === 0;
    const rest = checkRecords(window.subarray(0, filled), shape, isLast);
    if (isLast) return;
    window.copyWithin(0, rest, filled);
    filled -= rest;
    if (filled > longest) throw new TooLong('a record is longer than 4 MiB');
  }
}
