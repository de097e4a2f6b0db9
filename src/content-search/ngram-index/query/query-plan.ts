import type { CaseFolding } from '../../../core/ports/index.ts';
import type { BloomVariant } from '../tokenize/bloom.ts';
import { type CasefoldStrategy, caseVariants } from '../tokenize/casefold.ts';
import { gramsOf } from '../tokenize/trigrams.ts';
import { type PatternVeto, patternVeto } from './gate.ts';
import { isLiteral } from './literal.ts';

/** What of a search decides which files the index may leave out; nothing else of the request does. */
export interface PlannedSearch {
  readonly pattern: string;
  readonly fixedStrings: boolean;
  /** As the backend gets it: smart case is already decided (FR-LSI-CAND-LIT-05). */
  readonly ignoreCase: boolean;
  /** 0: exact. */
  readonly fuzzy: number;
}

/** How the backend of this search folds letters, and how well that is known. */
export interface KnownFolding {
  readonly strategy: CaseFolding;
  /** Whether a probe over every pair of our table and every newer letter showed that it folds nothing that we do not. */
  readonly provenBeyondAscii: boolean;
}

/** Why a search does not use the index. */
export type BypassReason = 'FUZZY' | 'REGEX' | 'FOLDING_UNKNOWN' | 'NO_USABLE_NGRAM' | PatternVeto;

/** N-grams that count as the same one: a file with none of them cannot match. */
export type GramGroup = readonly string[];

export type QueryPlan =
  | { readonly bypass: BypassReason }
  | {
      readonly variant: BloomVariant;
      /** A file that can match has, of each group, at least one n-gram. Never empty. */
      readonly groups: readonly GramGroup[];
      /** How many groups are worth a look, the rarest ones; see `rarestGroups`. */
      readonly most: number;
    };

/** Search-rules 23: more variants than this make a group too broad to help; it is left out, which only adds candidates. */
const MAX_VARIANTS = 27;
const MAX_INSENSITIVE_GROUPS = 6;

/**
 * Which n-grams a file must have to be a candidate of this search, or why the index must not be asked (local-search-index.md
 * 7 and F.4). May let too many files through, never too few.
 *
 * @param k code points of an n-gram
 */
export function queryPlan(search: PlannedSearch, folding: KnownFolding, k: number): QueryPlan {
  const bypass = bypassOf(search, folding, k);
  if (bypass !== undefined) return { bypass };
  const grams = gramsOf(search.pattern, k);
  if (!search.ignoreCase) return { variant: 'SENSITIVE', groups: grams.map((gram) => [gram]), most: Number.POSITIVE_INFINITY };
  const groups = grams.map((gram) => groupOf(gram, folding)).filter((group) => group !== undefined);
  return groups.length === 0 ? { bypass: 'NO_USABLE_NGRAM' } : { variant: 'INSENSITIVE', groups, most: MAX_INSENSITIVE_GROUPS };
}

/**
 * The groups to look up: the rarest first, at most `most`. Those that are left out could only remove candidates.
 *
 * @param countOf in how many files an n-gram is
 */
export function rarestGroups(groups: readonly GramGroup[], most: number, countOf: (gram: string) => number): GramGroup[] {
  const counted = groups.map((group) => ({ group, count: group.reduce((sum, gram) => sum + countOf(gram), 0) }));
  return counted
    .sort((a, b) => a.count - b.count)
    .slice(0, most)
    .map(({ group }) => group);
}

function bypassOf({ pattern, fixedStrings, fuzzy }: PlannedSearch, { strategy }: KnownFolding, k: number): BypassReason | undefined {
  if (fuzzy > 0) return 'FUZZY';
  if (!isLiteral(pattern, fixedStrings)) return 'REGEX';
  // A backend whose folding nobody understood is trusted with no exclusion, with case or without (FR-LSI-TOK-04).
  if (strategy === 'UNKNOWN') return 'FOLDING_UNKNOWN';
  return patternVeto(pattern, k);
}

/** The n-grams that the backend may take as equal to this one; undefined where that is not known well enough, or they are too many. */
function groupOf(gram: string, { strategy, provenBeyondAscii }: KnownFolding): GramGroup | undefined {
  if (strategy === 'UNKNOWN' || (!provenBeyondAscii && !isAscii(gram))) return undefined;
  return caseVariants(gram, strategy satisfies CasefoldStrategy, MAX_VARIANTS);
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text, 'utf8') === text.length;
}
