import { byteOrderMark, decodeUtf8, isBinaryShare, noGrams, replacementsIn, type TokenizerSettings, type Tokens } from './tokenizer.ts';
import { createGramCollector } from './trigrams.ts';

/** Takes the n-grams of a file that is larger than one window, window after window; the same as those of the whole text. */
export interface WindowTokenizer {
  /** Bytes of a window at the most. */
  readonly windowBytes: number;
  /** Forgets the file before. */
  begin(): void;
  /**
   * Takes the next window: the bytes of the file from where the last call said. Ends in front of the last character of ASCII,
   * because nothing composes with that, and no broken character goes on there.
   *
   * @returns how many of the bytes are done with; undefined if the file cannot be taken window by window
   */
  take(bytes: Uint8Array, isLast: boolean): number | undefined;
  /** What all windows had; `length` counts what two windows share twice. */
  finish(): Tokens;
}

/** Files of more windows than this are not tokenized: whatever is appended to a file, all of it is read again. */
export const MAX_WINDOWS = 64;
/** A file with more different n-grams than this is no text; its lists would cost more than they help. */
const MAX_GRAMS = 262_144;
/** The smallest window: it must hold what two windows share, and go on. */
const MIN_WINDOW_BYTES = 256;
const [CR, LF, ASCII_END] = [0x0d, 0x0a, 0x80];

/** Bytes of text of a file that its share of an index is estimated by: further windows of a large file have few new n-grams. */
export function textBytes(size: number, maxTokenizedBytes: number): number {
  if (size <= maxTokenizedBytes) return size;
  return size > MAX_WINDOWS * maxTokenizedBytes ? 0 : Math.min(size, Math.max(maxTokenizedBytes, LARGE_BYTES));
}
const LARGE_BYTES = 4 * 1024 * 1024;

export function createWindowTokenizer({ ngramK: k, maxTokenizedBytes }: TokenizerSettings): WindowTokenizer {
  const collector = createGramCollector(k);
  let [bytesDone, length, scalars, replaced, shared] = [0, 0, 0, 0, 0];
  let bom = false;

  /** Gathers a piece of the text; false if normalization would change it. */
  function gather(piece: Uint8Array): boolean {
    const before = piece.subarray(0, shared);
    const ascii = collector.addAscii(piece);
    if (ascii !== undefined) {
      scalars += piece.length - before.length;
      length += ascii;
      return true;
    }
    const text = decodeUtf8(piece);
    if (text.normalize('NFC') !== text) return false;
    length += collector.addText(text);
    const [all, known] = [replacementsIn(text), replacementsIn(decodeUtf8(before))];
    scalars += all.scalars - known.scalars;
    replaced += all.replaced - known.replaced;
    return true;
  }

  return {
    windowBytes: Math.max(maxTokenizedBytes, MIN_WINDOW_BYTES),
    begin() {
      collector.take();
      [bytesDone, length, scalars, replaced, shared, bom] = [0, 0, 0, 0, 0, false];
    },
    take(bytes, isLast) {
      if (bytesDone === 0) bom = byteOrderMark(bytes);
      const end = isLast ? bytes.length : cutOf(bytes);
      if (end <= shared || !gather(bytes.subarray(0, end)) || collector.size > MAX_GRAMS) return undefined;
      const next = isLast ? end : sharedFrom(bytes, end, k);
      if (next <= 0) return undefined;
      shared = end - next;
      bytesDone += next;
      return next;
    },
    finish() {
      if (isBinaryShare(replaced, scalars)) {
        collector.take();
        return { status: 'SKIPPED_BINARY', tokenizedBytes: 0, tokenComplete: false, nfcStable: false, bom, length: 0, grams: noGrams(k) };
      }
      return { status: 'FULL', tokenizedBytes: bytesDone, tokenComplete: length >= k, nfcStable: true, bom, length, grams: collector.take() };
    },
  };
}

/** The place of the last character of ASCII that does not go with the one before; 0 if there is none. */
function cutOf(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at > 0; at -= 1) {
    const byte = bytes[at] ?? ASCII_END;
    if (byte < ASCII_END && (byte !== LF || bytes[at - 1] !== CR)) return at;
  }
  return 0;
}

/** Where the next window begins, so that it has what n-grams across the cut need: k - 1 characters, twice as many because of CRLF. */
function sharedFrom(bytes: Uint8Array, end: number, k: number): number {
  let at = end;
  for (let left = 2 * (k - 1); left > 0 && at > 0; ) {
    at -= 1;
    // A byte that continues a character begins none.
    if (((bytes[at] ?? 0) & 0xc0) !== 0x80) left -= 1;
  }
  return at;
}
