import { isUtf8 } from 'node:buffer';
import type { BarrierAnswer, BytePath, OverlayPaths, SearchTree } from '../../../core/ports/index.ts';
import type { Globs } from '../../enumerate/globs.ts';
import { globFilter } from '../../enumerate/globs-path.ts';
import { only } from '../../enumerate/only.ts';
import { isAscii, lossyText } from '../../search/order-key.ts';
import type { Candidate, Enumeration } from '../../search/types.ts';
import type { Posting } from '../segment/dictionary-reader.ts';
import { SPECIAL_LIST } from '../segment/format.ts';
import { between, union } from '../segment/id-lists.ts';
import { bytePath, compareBytePaths, pathBytes, pathText } from '../segment/path-order.ts';
import type { SegmentReader } from '../segment/reader.ts';
import { type Bitmap, bitmapFor, hasBit, setBit } from './bitmap.ts';
import { coveredBy } from './covered.ts';
import { countOfGroup, rarestGroups } from './query-plan.ts';
import { guarded, type SnapshotRefusal } from './refusal.ts';
import type { GramGroup, GramGroups } from './required-grams.ts';
import { type IdRange, isAt, rangeOf, type SearchScope } from './scope.ts';
import { isLive, type Snapshot, type SnapshotSegment } from './snapshot.ts';

/** Which documents a search must look into. */
type Candidates =
  | {
      readonly ok: true;
      /** In key order. */
      readonly paths: readonly BytePath[];
      /** Documents of the snapshot, where the search looks or elsewhere. */
      readonly documents: number;
    }
  | SnapshotRefusal;

/** The part of a `QueryPlan` that the index is asked with. */
interface GramQuery {
  readonly groups: GramGroups;
  readonly most: number;
}

/** Postings that are read sooner than one document is searched. */
const POSTINGS_PER_DOCUMENT = 1_000;

/**
 * The documents of a snapshot that can match: those that have an n-gram of every group, and those of which the index cannot
 * tell (`always`); within the scope. May give too many, never too few. Reads everything before it answers, so
 * that damage is found before anything was searched.
 */
export function candidatesOf(snapshot: Snapshot, query: GramQuery, scope: SearchScope): Candidates {
  const found = guarded(() => inOrder(snapshot.segments.map((segment) => pathsIn(segment, query, scope))));
  return found.ok ? { ok: true, paths: found.value, documents: snapshot.live } : found;
}

function pathsIn(segment: SnapshotSegment, query: GramQuery, scope: SearchScope): BytePath[] {
  const { reader } = segment;
  const range = rangeOf(reader, scope);
  if (range.first >= range.end) return [];
  const always = alwaysIn(segment);
  const ids = having(reader, query, range).filter((id) => isLive(segment, id) && !hasBit(always.bits, id));
  const paths = merged(always.paths, reader.paths(ids));
  return scope.path === '' ? paths : paths.filter(isAt(scope));
}

/** The live documents of which the index cannot tell. */
interface Always {
  /** In key order. */
  readonly paths: readonly BytePath[];
  readonly bits: Bitmap;
}

/** Of each open segment, because every search asks for them. */
const ALWAYS = new WeakMap<SnapshotSegment, Always>();

function alwaysIn(segment: SnapshotSegment): Always {
  const known = ALWAYS.get(segment);
  if (known !== undefined) return known;
  const { reader } = segment;
  const ids = (reader.lookUp(SPECIAL_LIST.always)?.documents() ?? NO_IDS).filter((id) => isLive(segment, id));
  const bits = bitmapFor(reader.documentCount);
  for (const id of ids) setBit(bits, id);
  const always = { paths: reader.paths(ids), bits };
  ALWAYS.set(segment, always);
  return always;
}

/** The documents that have a term of every group; perhaps more, where these are few. */
function having(reader: SegmentReader, { groups, most }: GramQuery, { first, end }: IdRange): Uint32Array {
  const postings = new Map<string, Posting | undefined>();
  const postingOf = (gram: string): Posting | undefined => {
    if (!postings.has(gram)) postings.set(gram, reader.lookUp(Buffer.from(gram)));
    return postings.get(gram);
  };
  const countOf = (gram: string): number => postingOf(gram)?.count ?? 0;

  /** Rarest groups first; those that would come after a short list could only shorten it. */
  function narrowed(within: readonly GramGroup[], known: Uint32Array | undefined): Uint32Array {
    let ids = known;
    for (const group of within) {
      if (ids !== undefined && countOfGroup(group, countOf) > POSTINGS_PER_DOCUMENT * ids.length) return ids;
      const among: Uint32Array | undefined = ids;
      ids = union(group.map((term) => (typeof term === 'string' ? listed(postingOf(term), among) : narrowed(rarestGroups(term, most, countOf), among))));
    }
    if (ids === undefined) throw new TypeError('a search without n-grams does not ask an index');
    return ids;
  }

  function listed(posting: Posting | undefined, among: Uint32Array | undefined): Uint32Array {
    if (posting === undefined) return NO_IDS;
    return among === undefined ? between(posting.documents(), first, end) : posting.among(among);
  }

  // Of the n-grams of a word that is nowhere one is mostly nowhere, too: then no other is looked up.
  if (groups.some((group) => countOfGroup(group, countOf) === 0)) return NO_IDS;
  return narrowed(rarestGroups(groups, most, countOf), undefined);
}

const NO_IDS = new Uint32Array(0);

/** Lists that are in key order each, as one; a path is in one of them only. */
function inOrder(lists: readonly BytePath[][]): BytePath[] {
  const [longest = [], ...others] = lists.filter(({ length }) => length > 0).sort((a, b) => b.length - a.length);
  return others.reduce(merged, longest);
}

function merged(long: readonly BytePath[], short: readonly BytePath[]): BytePath[] {
  if (short.length > long.length) return merged(short, long);
  const all: BytePath[] = [];
  let at = 0;
  for (const path of short) {
    for (let next = long[at]; next !== undefined && compareBytePaths(next, path) < 0; next = long[at]) {
      all.push(next);
      at += 1;
    }
    all.push(path);
  }
  for (; at < long.length; at += 1) all.push(long[at] ?? '');
  return all;
}

interface IndexedFilesOptions {
  /** Candidates of the snapshot, in key order, in scope. */
  readonly paths: readonly BytePath[];
  /** What may differ from the snapshot: of these the snapshot has no say. */
  readonly overlay: OverlayPaths;
  /** What a walk found there, in key order. */
  readonly walked: readonly Candidate[];
  readonly globs: Globs;
  /** The directory that is searched, as a walk gets it: it and what is above it are exempt from the globs. */
  readonly start: Buffer | string;
}

/** The files of a search that uses an index: in the order, and with the globs, of a walk over the whole tree. */
export function indexedFiles({ paths, overlay, walked, globs, start }: IndexedFilesOptions): Enumeration {
  const isCovered = coveredBy(overlay);
  const admitted = globFilter(globs, lossyText(start));
  let [fromIndex, fromWalk] = [0, 0];

  /** The next one in order; where both have a file, the walk is right. */
  function step(): Candidate | undefined {
    let indexed = paths[fromIndex];
    while (indexed !== undefined && isCovered(indexed)) indexed = paths[++fromIndex];
    const live = walked[fromWalk];
    const order = indexed === undefined ? 1 : live === undefined ? -1 : compareBytePaths(indexed, bytesOf(live));
    if (order <= 0) fromIndex += 1;
    if (order >= 0) fromWalk += 1;
    return order < 0 && indexed !== undefined ? candidateOf(indexed) : live;
  }

  return {
    warnings: [],
    next(limit) {
      const piece: Candidate[] = [];
      while (piece.length < limit) {
        const candidate = step();
        if (candidate === undefined) break;
        if (admitted(candidate.text)) piece.push(candidate);
      }
      return piece;
    },
  };
}

const bytesOf = ({ text, raw }: Candidate): BytePath => (raw === undefined && isAscii(text) ? text : bytePath(raw ?? text));

/** As a walk would give it. */
function candidateOf(path: BytePath): Candidate {
  if (isAscii(path)) return { text: path, raw: undefined };
  const bytes = pathBytes(path);
  return { text: pathText(path), raw: isUtf8(bytes) ? undefined : bytes };
}

/** What a search may spend on files that have changed since they were indexed: all that it ever does for the index itself. */
export interface OverlayBudget {
  /** `index_maint_budget_fraction`: share of the time limit of the search. */
  readonly fraction: number;
  /** `reconcile_max_ms`. */
  readonly maxMs: number;
  /** `reconcile_max_files`. */
  readonly maxFiles: number;
}

/** What of a search decides how its overlay is walked. */
interface OverlaySearch {
  readonly root: { readonly directory: string };
  readonly query: { readonly timeoutMs: number };
  /** The walk of this search over a part of the tree. */
  readonly walk: (tree: SearchTree) => Enumeration;
}

/** Files between two looks at the clock. */
const WALKED_AT_ONCE = 256;

/**
 * The files among what has changed, seen now. `OVERLAY`: not everything could be seen; `BUDGET`: that would take longer than a
 * search may spend (FR-LSI-BUD-MAINT-01), so it reads all files (FR-LSI-BUD-02.2). The index is no less true for that, and
 * the host works the overlay off: nothing has to be marked.
 */
export function walkOverlay(
  search: OverlaySearch,
  tree: SearchTree,
  { overlay }: Pick<BarrierAnswer, 'overlay'>,
  { fraction, maxMs, maxFiles }: OverlayBudget,
  now: () => number,
): readonly Candidate[] | 'OVERLAY' | 'BUDGET' {
  if (overlay.files.length === 0 && overlay.subtrees.length === 0) return [];
  const until = now() + Math.min(fraction * search.query.timeoutMs, maxMs);
  const walk = search.walk(only(tree, search.root.directory, overlay));
  const walked: Candidate[] = [];
  for (;;) {
    if (now() >= until) return 'BUDGET';
    const piece = walk.next(WALKED_AT_ONCE);
    if (piece.length === 0) break;
    walked.push(...piece);
    if (walked.length > maxFiles) return 'BUDGET';
  }
  return walk.warnings.length === 0 ? walked : 'OVERLAY';
}
