import { read } from 'node:fs';
import { promisify } from 'node:util';
import { BrokenRecord, type CsvShape, checkRecords } from './csv-records.ts';
import { BrokenDataSet, TooLong } from './layout.ts';

const readAt = promisify(read);
const READ = 1024 * 1024;
const LF = 0x0a;

export interface CsvCheck extends CsvShape {
  /** Where the header row begins. */
  readonly start: number;
  /** Longest record in bytes. */
  readonly longest: number;
}

/** Reads the whole file through one window. Throws Broken, or TooLong for a record that does not fit into it; both name the line, counted from 1. */
export async function checkCsv(fd: number, { start, longest, ...shape }: CsvCheck): Promise<void> {
  const window = Buffer.allocUnsafeSlow(longest + READ);
  let position = start;
  let filled = 0;
  for (;;) {
    const { bytesRead } = await readAt(fd, window, filled, Math.min(READ, window.length - filled), position);
    position += bytesRead;
    filled += bytesRead;
    const isLast = bytesRead === 0;
    const begin = position - filled;
    let rest: number;
    try {
      rest = checkRecords(window.subarray(0, filled), shape, isLast);
    } catch (error) {
      if (!(error instanceof BrokenRecord)) throw error;
      throw new BrokenDataSet(`line ${await lineAt(fd, begin + error.at)} ${error.message}`);
    }
    if (isLast) return;
    window.copyWithin(0, rest, filled);
    filled -= rest;
    if (filled > longest) throw new TooLong(`the record at line ${await lineAt(fd, begin + rest)} is longer than 4 MiB`);
  }
}

/** The number of the line of a place in the file, as an editor counts: only who needs it pays for it. */
async function lineAt(fd: number, place: number): Promise<number> {
  const buffer = Buffer.allocUnsafe(READ);
  let line = 1;
  for (let position = 0; position < place; ) {
    const { bytesRead } = await readAt(fd, buffer, 0, Math.min(READ, place - position), position);
    if (bytesRead === 0) break;
    const bytes = buffer.subarray(0, bytesRead);
    for (let feed = bytes.indexOf(LF); feed >= 0; feed = bytes.indexOf(LF, feed + 1)) line += 1;
    position += bytesRead;
  }
  return line;
}
