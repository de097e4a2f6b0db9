import { isUtf8 } from 'node:buffer';
import { ScanError } from '../scan-error.ts';

/** Told of a line that is not blank: from `from` to `to`, where a line feed stands. From 1, blank lines counted. */
export type TakeLine = (bytes: Buffer, from: number, to: number, number: number) => void;

/** Longest line, in bytes: a line is held as a whole, so it must be bounded. */
const LONGEST = 16 * 1024 * 1024;
const NEWLINE = 0x0a;
const END = Buffer.from('\n');
const BOM = Buffer.from('\ufeff');

/**
 * The lines of a text file that are not blank. `\n` ends a line; a `\r` before it is blank space. The bytes are good during
 * the call.
 *
 * @throws ScanError EXECUTION_FAILED for what is not UTF-8, RESOURCE_EXHAUSTED for a line above 16 MiB
 */
export async function eachLine(chunks: AsyncIterable<Uint8Array>, take: TakeLine): Promise<void> {
  let number = 0;
  let rest: Buffer[] = [];
  let restLength = 0;

  /** @param bytes whole lines, each with its line feed */
  function takeAll(bytes: Buffer): void {
    if (!isUtf8(bytes)) throw new ScanError('EXECUTION_FAILED', `the file is not UTF-8 after line ${number}`);
    let from = number === 0 && bytes.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0;
    while (from < bytes.length) {
      const to = bytes.indexOf(NEWLINE, from);
      number += 1;
      if (!isBlank(bytes, from, to)) take(bytes, from, to, number);
      from = to + 1;
    }
  }

  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const last = bytes.lastIndexOf(NEWLINE);
    if (last >= 0) {
      takeAll(Buffer.concat([...rest, bytes.subarray(0, last + 1)]));
      rest = [];
      restLength = 0;
    }
    // A copy: the chunk's memory is filled anew.
    rest.push(Buffer.from(bytes.subarray(last + 1)));
    restLength += bytes.length - last - 1;
    if (restLength > LONGEST) throw new ScanError('RESOURCE_EXHAUSTED', `line ${number + 1} is longer than 16 MiB`);
  }
  if (restLength > 0) takeAll(Buffer.concat([...rest, END]));
}

function isBlank(bytes: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  }
  return true;
}
