import { type Feeder, itemOf, MAX_ITEM_BYTES, NEWLINE, type RawItem, tooLarge } from './raw-item.ts';
import { createScalar, type Scalar } from './scalar.ts';
import { createSpan, type Span } from './span.ts';

const BRACE = 0x7b;
const BRACKET = 0x5b;
const BRACKET_CLOSE = 0x5d;
const COMMA = 0x2c;
const BLANK = new Set([0x20, 0x09, 0x0d, NEWLINE]);

/**
 * Printed JSON: an array of items, or documents one after the other. Items are cut out by their brackets as they come
 * in, so that a large array is never held as a whole. What is no object is a problem of its own and harms no other item;
 * damage that hides where the next item begins ends the reading.
 */
export function createDocumentFeeder(shape: 'array' | 'documents', firstLine = 1): Feeder {
  let line = firstLine;
  /** What may come next outside of an item. */
  let expect: 'array' | 'item' | 'comma' | 'nothing' | 'stopped' = shape === 'array' ? 'array' : 'item';
  let span: Span | undefined;
  /** A number, a word or a text in the place of an item. */
  let scalar: Scalar | undefined;
  let itemLine = line;
  let parts: Uint8Array[] = [];
  let size = 0;
  let items: RawItem[] = [];

  const problem = (message: string): void => {
    items.push({ kind: 'problem', line, message });
  };
  const keep = (bytes: Uint8Array): void => {
    size += bytes.length;
    if (size > MAX_ITEM_BYTES) parts = [];
    else parts.push(bytes);
  };
  const finish = (): void => {
    const item = size > MAX_ITEM_BYTES ? tooLarge(itemLine) : itemOf(Buffer.concat(parts), itemLine);
    if (item) items.push(item);
    parts = [];
    size = 0;
    span = undefined;
    expect = shape === 'array' ? 'comma' : 'item';
  };
  const stop = (message: string): void => {
    problem(`${message}; the rest is not read`);
    expect = 'stopped';
    span = undefined;
    parts = [];
  };

  /** A byte between items; true when it begins one. */
  const between = (byte: number): boolean => {
    if (BLANK.has(byte) || expect === 'stopped') return false;
    if (expect === 'array' && byte === BRACKET) expect = 'item';
    else if (expect === 'nothing') stop('has text after the end of the array');
    else if (shape === 'array' && byte === BRACKET_CLOSE) expect = 'nothing';
    else if (byte === COMMA && expect === 'comma') expect = 'item';
    else if (expect === 'comma') stop('has no comma between two items');
    else if (byte === BRACE || byte === BRACKET) return true;
    else if (shape === 'documents' || expect === 'array') stop('is not a JSON object');
    else if (byte === COMMA) problem('is empty: there is a comma without an item before it');
    else {
      problem('is not a JSON object');
      scalar = createScalar(byte);
    }
    return false;
  };

  /** What has ended in the place of an item was told as a problem when it began. */
  const passScalar = (state: ReturnType<Scalar['step']>): void => {
    if (state === 'open') return;
    scalar = undefined;
    expect = 'comma';
    if (state === 'broken') stop('ends inside a string');
  };

  return {
    push(bytes) {
      items = [];
      let from = 0;
      for (let at = 0; at < bytes.length && expect !== 'stopped'; at += 1) {
        const byte = bytes[at] ?? 0;
        if (scalar !== undefined) passScalar(scalar.step(byte));
        if (scalar === undefined && span === undefined && between(byte)) {
          span = createSpan();
          itemLine = line;
          from = at;
        }
        const state = span?.step(byte);
        if (state === 'closed') {
          keep(bytes.subarray(from, at + 1));
          finish();
        } else if (state === 'broken') stop('ends inside a string');
        if (byte === NEWLINE) line += 1;
      }
      if (span !== undefined) keep(bytes.subarray(from));
      return items;
    },
    end() {
      items = [];
      if (span !== undefined) items.push({ kind: 'problem', line: itemLine, message: 'is not complete: the input ends inside of it' });
      else if (shape === 'array' && (expect === 'item' || expect === 'comma')) problem('the array is not closed');
      return items;
    },
  };
}
