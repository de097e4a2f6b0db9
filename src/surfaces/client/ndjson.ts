import { linesOf } from './lines.ts';

/** The values of a stream of JSON lines; empty lines are skipped. Throws SyntaxError for a line that is no JSON. */
export async function* ndjsonOf<T>(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<T> {
  for await (const line of linesOf(chunks)) {
    if (line.trim() !== '') yield JSON.parse(line) as T;
  }
}
