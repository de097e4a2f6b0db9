import { createDocumentFeeder } from './documents.ts';
import { createLineFeeder } from './lines.ts';
import { type Feeder, MAX_ITEM_BYTES, NEWLINE, type RawItem } from './raw-item.ts';
import { createSpan } from './span.ts';

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

/** How an input is written. */
export type Shape = 'lines' | 'array' | 'documents';

const BRACE = 0x7b;
const BRACKET = 0x5b;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/**
 * Tells NDJSON from printed JSON by its beginning, and then reads it as that. Undecided input is held back, at most
 * one item's worth.
 */
export function createDetectingFeeder(): Feeder {
  let held: Uint8Array = new Uint8Array(0);
  let feeder: Feeder | undefined;
  const feed = (shape: Shape): RawItem[] => {
    feeder = shape === 'lines' ? createLineFeeder() : createDocumentFeeder(shape);
    return feeder.push(withoutByteOrderMark(held));
  };
  return {
    push(bytes) {
      if (feeder) return feeder.push(bytes);
      held = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
      const shape = shapeOf(held, false);
      if (shape === undefined) return [];
      const items = feed(shape);
      held = new Uint8Array(0);
      return items;
    },
    end() {
      const items = feeder ? [] : feed(shapeOf(held, true) ?? 'lines');
      return [...items, ...(feeder?.end() ?? [])];
    },
  };
}

/**
 * The shape of an input that begins with these bytes, `undefined` while more are needed. An array begins with `[`. When
 * the first line is a JSON value of its own, or an item's worth of bytes holds no closed object, it is NDJSON; so a
 * damaged first line does not swallow the lines after it.
 */
export function shapeOf(all: Uint8Array, ended: boolean): Shape | undefined {
  if (all.length < BYTE_ORDER_MARK.length && !ended) return undefined;
  const bytes = withoutByteOrderMark(all).subarray(0, MAX_ITEM_BYTES);
  const complete = ended || bytes.length === MAX_ITEM_BYTES;
  const start = bytes.findIndex((byte) => byte > 0x20);
  const undecided = complete ? 'lines' : undefined;
  if (start === -1) return undecided;
  if (bytes[start] === BRACKET) return 'array';
  if (bytes[start] !== BRACE) return 'lines';
  const lineEnd = bytes.indexOf(NEWLINE, start);
  if (lineEnd === -1) return undecided;
  if (parses(bytes.subarray(start, lineEnd))) return 'lines';
  const close = closeOf(bytes, start);
  if (close === 'broken') return 'lines';
  if (close === 'open') return complete && !someLineParses(bytes.subarray(start)) ? 'documents' : undecided;
  const text = bytes.subarray(start, close + 1);
  return parses(text) || !someLineParses(text) ? 'documents' : 'lines';
}

function closeOf(bytes: Uint8Array, start: number): number | 'open' | 'broken' {
  const span = createSpan();
  for (let at = start; at < bytes.length; at += 1) {
    const state = span.step(bytes[at] ?? 0);
    if (state === 'broken') return 'broken';
    if (state === 'closed') return at;
  }
  return 'open';
}

function someLineParses(bytes: Uint8Array): boolean {
  return Buffer.from(bytes)
    .toString('utf8')
    .split('\n')
    .some((line) => line.trimStart().startsWith('{') && parses(Buffer.from(line)));
}

function parses(bytes: Uint8Array): boolean {
  try {
    JSON.parse(Buffer.from(bytes).toString('utf8'));
    return true;
  } catch {
    return false;
  }
}

function withoutByteOrderMark(bytes: Uint8Array): Uint8Array {
  return BYTE_ORDER_MARK.every((byte, at) => bytes[at] === byte) ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
}
