import { type CasefoldStrategy, STRATEGY_ID } from './casefold.ts';
import { createGramCollector, type GramCollector, type GramSet, NGRAM_K } from './trigrams.ts';

/**
 * The tokenizer of Appendix F.2: what n-grams a file has, and what must be known of it before it may be left out of a search.
 * Pure: it gets bytes and the settings, and answers values.
 */

/** index_max_tokenized_bytes: files larger than this are never tokenized, and never left out. */
export const MAX_TOKENIZED_BYTES = 1_048_576;

/** More U+FFFD than this share of the characters makes a file binary. */
const BINARY_RATIO = 0.5;
const REPLACEMENT = 0xfffd;

export interface TokenizerSettings {
  /** Code points of an n-gram, 1 to 8. */
  readonly ngramK: number;
  /** Bytes. */
  readonly maxTokenizedBytes: number;
}

export const TOKENIZER_DEFAULTS = { ngramK: NGRAM_K.default, maxTokenizedBytes: MAX_TOKENIZED_BYTES } satisfies TokenizerSettings;

export interface Tokens {
  readonly status: 'FULL' | 'SKIPPED_TOO_LARGE' | 'SKIPPED_BINARY';
  readonly tokenizedBytes: number;
  /** Whether `grams` are all of a text that has at least one (FR-LSI-TOK-05.2). */
  readonly tokenComplete: boolean;
  /** Whether the text was NFC as it came: otherwise its n-grams are not those of the bytes that a backend sees. */
  readonly nfcStable: boolean;
  /** Whether it begins with a byte order mark of any kind: backends decode what follows, or strip it. */
  readonly bom: boolean;
  /** Code points after normalization; 0 if it was not tokenized. */
  readonly length: number;
  readonly grams: GramSet;
}

/**
 * Makes a tokenizer. It keeps its tables between files, so a thread has one.
 *
 * @throws RangeError for settings outside of their range
 */
export function createTokenizer(settings: TokenizerSettings): (bytes: Uint8Array) => Tokens {
  const { ngramK: k, maxTokenizedBytes } = settings;
  if (!Number.isInteger(k) || k < NGRAM_K.min || k > NGRAM_K.max) throw new RangeError(`an n-gram has ${NGRAM_K.min} to ${NGRAM_K.max} characters`);
  const collector = createGramCollector(k);
  const none = noGrams(k);

  return (bytes) => {
    const bom = byteOrderMark(bytes);
    const skipped = (status: Tokens['status']): Tokens => ({ status, tokenizedBytes: 0, tokenComplete: false, nfcStable: false, bom, length: 0, grams: none });
    // The size comes first: half of a file is never tokenized.
    if (bytes.length > maxTokenizedBytes) return skipped('SKIPPED_TOO_LARGE');
    const gathered = gather(bytes, collector);
    if (gathered === 'binary') return skipped('SKIPPED_BINARY');
    const { length, nfcStable } = gathered;
    return { status: 'FULL', tokenizedBytes: bytes.length, tokenComplete: length >= k, nfcStable, bom, length, grams: collector.take() };
  };
}

export const noGrams = (k: number): GramSet => ({ k, narrow: new Uint32Array(0), wide: new Uint32Array(0) });

/**
 * What must be equal for two indexes to hold the same n-grams: program, size of n-grams, versions of the normalization and
 * of the folding, and how the bits of the filter are counted (FR-LSI-TOK-04.4). A change means another index key.
 *
 * @param unicode the version of Unicode that the runtime normalizes by (`process.versions.unicode`)
 */
export function tokenizerId({ ngramK, maxTokenizedBytes }: TokenizerSettings, strategy: CasefoldStrategy, unicode: string): string {
  return `writ-tokenizer-2;k=${ngramK};max=${maxTokenizedBytes};nfc=${unicode};fold=${STRATEGY_ID[strategy]};bits=xxh64-exact`;
}

/** The n-grams go to the collector: ASCII, which most files are, straight from the bytes. */
function gather(bytes: Uint8Array, collector: GramCollector): 'binary' | { length: number; nfcStable: boolean } {
  const ascii = collector.addAscii(bytes);
  if (ascii !== undefined) return { length: ascii, nfcStable: true };
  const text = decodeUtf8(bytes);
  const { replaced, scalars } = replacementsIn(text);
  if (isBinaryShare(replaced, scalars)) return 'binary';
  const normalized = text.normalize('NFC');
  return { length: collector.addText(normalized), nfcStable: normalized === text };
}

/** UTF-8 as the WHATWG decodes it: each maximal part of an invalid sequence is one U+FFFD; a byte order mark stays. */
export function decodeUtf8(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** FR-LSI-TOK-01.3: whether a text is binary. An empty one is not. */
export const isBinaryShare = (replaced: number, scalars: number): boolean => replaced / Math.max(1, scalars) > BINARY_RATIO;

/** How many characters a text has, and how many of them are U+FFFD. */
export function replacementsIn(text: string): { readonly replaced: number; readonly scalars: number } {
  let replaced = 0;
  let scalars = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === REPLACEMENT) replaced += 1;
    if (unit < 0xdc00 || unit > 0xdfff) scalars += 1;
  }
  return { replaced, scalars };
}

/** The first bytes of UTF-8, UTF-16 and UTF-32 with a mark; FF FE is also how UTF-32 of the small end begins. */
const BYTE_ORDER_MARKS: readonly (readonly number[])[] = [
  [0xef, 0xbb, 0xbf],
  [0xff, 0xfe],
  [0xfe, 0xff],
  [0x00, 0x00, 0xfe, 0xff],
];

/** Whether bytes begin with a mark of any kind. */
export function byteOrderMark(bytes: Uint8Array): boolean {
  return BYTE_ORDER_MARKS.some((mark) => mark.every((byte, at) => bytes[at] === byte));
}
