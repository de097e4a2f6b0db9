import type { BytePath } from '../../../core/ports/index.ts';
import type { Posting } from '../segment/dictionary-reader.ts';
import { SPECIAL_LIST } from '../segment/format.ts';
import { between, union } from '../segment/id-lists.ts';
import { compareBytePaths } from '../segment/path-order.ts';
import type { SegmentReader } from '../segment/reader.ts';
import { type GramGroup, rarestGroups } from './query-plan.ts';
import { guarded, type SnapshotRefusal } from './refusal.ts';
import { type IdRange, isAt, rangeOf, type SearchScope } from './scope.ts';
import { isLive, type Snapshot, type SnapshotSegment } from './snapshot.ts';

/** Which documents a search must look into. */
export type Candidates =
  | {
      readonly ok: true;
      /** In key order. */
      readonly paths: readonly BytePath[];
      /** Documents of the snapshot, where the search looks or elsewhere. */
      readonly documents: number;
    }
  | SnapshotRefusal;

/** The part of a `QueryPlan` that the index is asked with. */
export interface GramQuery {
  readonly groups: readonly GramGroup[];
  readonly most: number;
}

/** Fewer documents than this cost less to search than another list costs to read (search-rules 22). */
const FEW = 64;

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
  const always = reader.lookUp(SPECIAL_LIST.always)?.documents() ?? new Uint32Array(0);
  const ids = union([having(reader, query, range), between(always, range.first, range.end)]).filter((id) => isLive(segment, id));
  const paths = reader.paths(ids);
  return scope.path === '' ? paths : paths.filter(isAt(scope));
}

/** Rarest groups first; those that would come after a short list could only shorten it. */
function having(reader: SegmentReader, { groups, most }: GramQuery, { first, end }: IdRange): Uint32Array {
  const postings = new Map<string, Posting | undefined>();
  for (const gram of groups.flat()) if (!postings.has(gram)) postings.set(gram, reader.lookUp(Buffer.from(gram)));
  const countOf = (gram: string): number => postings.get(gram)?.count ?? 0;
  let ids: Uint32Array | undefined;
  for (const group of rarestGroups(groups, most, countOf)) {
    if (ids !== undefined && ids.length < FEW) return ids;
    const known: Uint32Array | undefined = ids;
    const lists = group.flatMap((gram) => {
      const posting = postings.get(gram);
      if (posting === undefined) return [];
      return [known === undefined ? between(posting.documents(), first, end) : posting.among(known)];
    });
    ids = union(lists);
  }
  if (ids === undefined) throw new TypeError('a search without n-grams does not ask an index');
  return ids;
}

/** Lists that are in key order each, as one; a path is in one of them only. */
function inOrder(lists: readonly BytePath[][]): BytePath[] {
  const [longest = [], ...others] = lists.filter(({ length }) => length > 0).sort((a, b) => b.length - a.length);
  return others.reduce(merged, longest);
}

function merged(long: readonly BytePath[], short: readonly BytePath[]): BytePath[] {
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
