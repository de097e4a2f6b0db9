import { createDetectingFeeder } from './detect.ts';
import type { RawItem } from './raw-item.ts';

/** The items found in one piece of the input, and how much has been read by then. */
export interface Batch {
  readonly items: readonly RawItem[];
  readonly bytesRead: number;
}

/**
 * Reads NDJSON, a JSON array or printed JSON documents as a stream of items. What is not consumed is not read: the
 * source is only asked for its next piece when the caller asks for the next batch.
 */
export async function* readItems(source: AsyncIterable<Uint8Array>): AsyncGenerator<Batch> {
  const feeder = createDetectingFeeder();
  let bytesRead = 0;
  for await (const bytes of source) {
    bytesRead += bytes.length;
    yield { items: feeder.push(bytes), bytesRead };
  }
  yield { items: feeder.end(), bytesRead };
}
