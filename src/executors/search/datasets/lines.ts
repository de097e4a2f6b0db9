import { isUtf8 } from 'node:buffer';
import { ScanError } from '../scan-error.ts';

export interface Line {
  readonly text: string;
  /** From 1, blank lines counted. */
  readonly number: number;
}

/** Longest line, in bytes: a line is held as a whole, so it must be bounded. */
const LONGEST = 16 * 1024 * 1024;
const NEWLINE = 0x0a;
const BOM = '\ufeff';

/**
 * The lines of a text file that are not blank, some at a time. `\n` ends a line; a `\r` before it is blank space.
 *
 * @throws ScanError EXECUTION_FAILED for what is not UTF-8, RESOURCE_EXHAUSTED for a line above 16 MiB
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Line[]> {
  let number = 0;
  let rest: Buffer[] = [];
  let restLength = 0;

  function take(bytes: Buffer): Line[] {
    if (!isUtf8(bytes)) throw new ScanError('EXECUTION_FAILED', `the file is not UTF-8 after line ${number}`);
    const lines: Line[] = [];
    for (const text of bytes.toString('utf8').split('\n')) {
      number += 1;
      const plain = number === 1 && text.startsWith(BOM) ? text.slice(1) : text;
      if (!isBlank(plain)) lines.push({ text: plain, number });
    }
    return lines;
  }

  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const last = bytes.lastIndexOf(NEWLINE);
    if (last >= 0) {
      yield take(Buffer.concat([...rest, bytes.subarray(0, last)]));
      rest = [];
      restLength = 0;
    }
    // A copy: the chunk's memory is filled anew.
    rest.push(Buffer.from(bytes.subarray(last + 1)));
    restLength += bytes.length - last - 1;
    if (restLength > LONGEST) throw new ScanError('RESOURCE_EXHAUSTED', `line ${number + 1} is longer than 16 MiB`);
  }
  if (restLength > 0) yield take(Buffer.concat(rest));
}

function isBlank(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit !== 0x20 && unit !== 0x09 && unit !== 0x0d) return false;
  }
  return true;
}
