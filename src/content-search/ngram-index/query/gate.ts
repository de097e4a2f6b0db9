/**
 * The gate in front of every exclusion (FR-LSI-CAND-01): a file is left out only if both sides of it agree. The n-grams of
 * Appendix F are those of a normalized text, and no backend normalizes; where the two may differ, the gate is shut.
 * Why it is sound: every part of an NFC text is NFC, so for an NFC file and an NFC pattern normalization changes nothing, and
 * the n-grams of a pattern that occurs in the file are among the file's. Folding goes code point by code point, so that
 * holds for folded text too. CRLF concerns no pattern without a line break.
 */

/** What the gate must know of a file. `Tokens` has the first four. */
export interface FileFacts {
  readonly status: 'FULL' | 'SKIPPED_TOO_LARGE' | 'SKIPPED_BINARY' | 'UNREADABLE' | 'ERROR';
  readonly tokenComplete: boolean;
  readonly nfcStable: boolean;
  readonly bom: boolean;
  /**
   * Whether the tokens are known to be those of what a backend would read now: the file did not change while it was read nor
   * since, no event of it is waiting, and it can change in no way that is not seen (further hard links, foreign mounts).
   */
  readonly fresh: boolean;
  /** Whether it stands in the catalog; files with a line break in their name do not (FR-LSI-BE-UG-03). */
  readonly catalogued: boolean;
  /** Whether its mode lets its owner read it: ugrep only warns of a file that does not, even where it could be opened. */
  readonly ownerMayRead: boolean;
}

/** Why a file is searched whatever its n-grams say, in the order in which it is looked at. */
const FILE_VETOES = {
  NOT_CATALOGUED: (file: FileFacts) => !file.catalogued,
  STALE: (file: FileFacts) => !file.fresh,
  OWNER_MAY_NOT_READ: (file: FileFacts) => !file.ownerMayRead,
  NOT_TOKENIZED: (file: FileFacts) => file.status !== 'FULL',
  INCOMPLETE: (file: FileFacts) => !file.tokenComplete,
  BYTE_ORDER_MARK: (file: FileFacts) => file.bom,
  NOT_NFC: (file: FileFacts) => !file.nfcStable,
} satisfies Record<string, (file: FileFacts) => boolean>;
export type FileVeto = keyof typeof FILE_VETOES;

/** Why a pattern cannot be looked up at all, in the order in which it is looked at. */
const PATTERN_VETOES = {
  ILL_FORMED: (pattern: string) => !pattern.isWellFormed(),
  LINE_BREAK: (pattern: string) => /[\r\n\0]/.test(pattern),
  NOT_NFC: (pattern: string) => pattern.normalize('NFC') !== pattern,
  TOO_SHORT: (pattern: string, k: number) => Array.from(pattern).length < k,
} satisfies Record<string, (pattern: string, k: number) => boolean>;
export type PatternVeto = keyof typeof PATTERN_VETOES;

/** The first reason that keeps the file a candidate of every search; undefined if its n-grams decide. */
export function fileVeto(file: FileFacts): FileVeto | undefined {
  return firstOf(FILE_VETOES, (shuts) => shuts(file));
}

/** The first reason that makes the pattern bypass the index; undefined if its n-grams decide. @param k code points of an n-gram */
export function patternVeto(pattern: string, k: number): PatternVeto | undefined {
  return firstOf(PATTERN_VETOES, (shuts) => shuts(pattern, k));
}

function firstOf<K extends string, F>(table: Record<K, F>, holds: (rule: F) => boolean): K | undefined {
  for (const name in table) if (holds(table[name])) return name;
  return undefined;
}
