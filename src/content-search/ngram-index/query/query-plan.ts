import { isDeepStrictEqual } from 'node:util';
import type { BarrierAnswer, CaseFolding, ReaderIdentity, SearchBackend } from '../../../core/ports/index.ts';
import type { SearchQuery } from '../../search/request.ts';
import type { OrderRoot } from '../../search/sandbox.ts';
import type { IndexedTree } from '../build/indexed-tree.ts';
import type { BloomVariant } from '../tokenize/bloom.ts';
import { type CasefoldStrategy, caseVariants } from '../tokenize/casefold.ts';
import { gramsOf } from '../tokenize/trigrams.ts';
import { isPlain, readExpression } from './expression.ts';
import { type PatternVeto, patternVeto } from './gate.ts';
import { type GramGroup, type GramGroups, type GramTerm, requiredGrams } from './required-grams.ts';

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
  /** Letters beyond ASCII about which the backend was asked, each with all that it takes as equal, itself among them. */
  readonly asked?: ReadonlyMap<string, readonly string[]>;
}

/** Why the pattern of a search cannot be looked up. */
export type PatternBypass = 'FUZZY' | 'REGEX' | 'FOLDING_UNKNOWN' | 'NO_USABLE_NGRAM' | PatternVeto;

/**
 * Why the index leaves nothing out of a search. By the request: what its pattern is; NO_ROOT, no index has this order root;
 * OPTIONS, another index key; BACKEND, another program; START, the request path is not in the catalog. By the index:
 * NO_HOST, nobody answers the barrier; VETO, the host or the state forbids it; OTHER_READER, the host may see other files;
 * OVERLAY, what changed could not be looked at; BUDGET, there was no time to look at all of it; SEGMENTS and CORRUPT, the files of the index cannot be used.
 */
export type IndexBypass =
  | PatternBypass
  | 'INDEX_OFF'
  | 'NO_ROOT'
  | 'OPTIONS'
  | 'BACKEND'
  | 'START'
  | 'NO_HOST'
  | 'VETO'
  | 'OTHER_READER'
  | 'OVERLAY'
  | 'BUDGET'
  | 'SEGMENTS'
  | 'CORRUPT';

type QueryPlan =
  | { readonly bypass: PatternBypass }
  | {
      readonly variant: BloomVariant;
      /** Never empty. */
      readonly groups: GramGroups;
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
  if (search.fuzzy > 0) return { bypass: 'FUZZY' };
  const needed = neededGrams(search, k);
  if (needed === undefined) return { bypass: 'REGEX' };
  // A backend whose folding nobody understood is trusted with no exclusion, with case or without (FR-LSI-TOK-04).
  if (folding.strategy === 'UNKNOWN') return { bypass: 'FOLDING_UNKNOWN' };
  // An expression has no length of its own: what it is short of are n-grams.
  const veto = patternVeto(search.pattern, isLiteral(search.pattern, search.fixedStrings) ? k : 0);
  if (veto !== undefined) return { bypass: veto };
  const groups = search.ignoreCase ? inAnyCase(needed, folding) : needed;
  if (groups.length === 0) return { bypass: 'NO_USABLE_NGRAM' };
  return search.ignoreCase
    ? { variant: 'INSENSITIVE', groups, most: MAX_INSENSITIVE_GROUPS }
    : { variant: 'SENSITIVE', groups, most: Number.POSITIVE_INFINITY };
}

/** The n-grams of every match, in the letters of the pattern; undefined if it is no expression that is understood. */
function neededGrams({ pattern, fixedStrings }: PlannedSearch, k: number): GramGroups | undefined {
  if (isLiteral(pattern, fixedStrings)) return gramsOf(pattern, k).map((gram) => [gram]);
  const expression = readExpression(pattern);
  return expression === undefined ? undefined : requiredGrams(expression, k);
}

/** Groups with every n-gram in all of its variants; a group with one that has too many, or unknown ones, is left out. */
function inAnyCase(groups: GramGroups, folding: KnownFolding): GramGroups {
  return groups.flatMap((group) => {
    const terms = group.map((term) => variantsOf(term, folding));
    return terms.every((variants) => variants !== undefined) ? [terms.flat()] : [];
  });
}

function variantsOf(term: GramTerm, folding: KnownFolding): readonly GramTerm[] | undefined {
  if (typeof term === 'string') return gramVariants(term, folding);
  const groups = inAnyCase(term, folding);
  return groups.length === 0 ? undefined : [groups];
}

/**
 * The groups to look up: the rarest first, at most `most`. Those that are left out could only remove candidates.
 *
 * @param countOf in how many files an n-gram is
 */
export function rarestGroups(groups: GramGroups, most: number, countOf: (gram: string) => number): GramGroup[] {
  const counted = groups.map((group) => ({ group, count: countOfGroup(group, countOf) }));
  return counted
    .sort((a, b) => a.count - b.count)
    .slice(0, most)
    .map(({ group }) => group);
}

/** No more files than this have a term of the group. */
export function countOfGroup(group: GramGroup, countOf: (gram: string) => number): number {
  return group.reduce((sum, term) => sum + (typeof term === 'string' ? countOf(term) : Math.min(...term.map((one) => countOfGroup(one, countOf)))), 0);
}

/** The n-grams that the backend may take as equal to this one; undefined where that is not known well enough, or they are too many. */
function gramVariants(gram: string, { strategy, provenBeyondAscii, asked }: KnownFolding): readonly string[] | undefined {
  if (strategy === 'UNKNOWN') return undefined;
  if (provenBeyondAscii || isAscii(gram)) return caseVariants(gram, strategy satisfies CasefoldStrategy, MAX_VARIANTS);
  return caseVariants(gram, strategy satisfies CasefoldStrategy, MAX_VARIANTS, asked ?? new Map());
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text, 'utf8') === text.length;
}

/** Whether a pattern means its own text in both dialects, so that it is one whatever `fixed_strings` says (search-rules 9). */
export function isLiteral(pattern: string, fixedStrings: boolean): boolean {
  return fixedStrings || isPlain(pattern);
}

/** What of a search decides whether an index serves it at all. */
interface RequestedSearch {
  readonly root: Pick<OrderRoot, 'startKind'>;
  readonly query: Pick<SearchQuery, 'follow' | 'hidden' | 'noIgnore'>;
  readonly backend: Pick<SearchBackend, 'id'>;
}

/** What of a request no index of ours serves. */
export function requestBypass(
  { root, query, backend }: RequestedSearch,
  { indexed, backendId }: { readonly indexed: Pick<IndexedTree, 'hidden' | 'noIgnore'>; readonly backendId: string },
): IndexBypass | undefined {
  if (query.follow || query.hidden !== indexed.hidden || query.noIgnore !== indexed.noIgnore) return 'OPTIONS';
  if (backend.id !== backendId) return 'BACKEND';
  // One file is read sooner than any index.
  return root.startKind === 'directory' ? undefined : 'START';
}

/**
 * Why the host, as it answered, lets this process leave nothing out.
 *
 * @param view what this process sees at the index root at this moment (`ReaderIdentity.view`)
 */
export function hostBypass({ veto, state, identity: host }: BarrierAnswer, reader: Omit<ReaderIdentity, 'view'>, view: () => string): IndexBypass | undefined {
  if (veto !== null || state !== 'COMPLETE') return 'VETO';
  return hasSameRights(host, reader) && seesSameTree(host, reader, view) ? undefined : 'OTHER_READER';
}

/** Search-rules 27: who has other rights may see other files than the host has read. What cannot be told is no equality. */
function hasSameRights(a: ReaderIdentity, b: Omit<ReaderIdentity, 'view'>): boolean {
  if (a.userNamespace === '' || a.readsAll === null) return false;
  return isDeepStrictEqual(rightsOf(a), rightsOf(b));
}

const rightsOf = ({ uid, gid, groups, readsAll, userNamespace, policy }: Omit<ReaderIdentity, 'view'>) => ({
  uid,
  gid,
  groups,
  readsAll,
  userNamespace,
  policy,
});

/** So may who has other mounts, unless both are known to see the very same tree at the root: two containers with one volume. */
function seesSameTree(host: ReaderIdentity, reader: Pick<ReaderIdentity, 'mountNamespace'>, view: () => string): boolean {
  if (host.mountNamespace !== '' && host.mountNamespace === reader.mountNamespace) return true;
  return host.view !== '' && host.view === view();
}
