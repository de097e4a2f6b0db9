import type { FreshnessGuarantee, IndexReason, IndexState, SearchBackend, SearchTree } from '../../core/ports/index.ts';
import type { Globs } from '../enumerate/globs.ts';
import type { BypassReason } from '../ngram-index/query/query-plan.ts';
import type { OrderRoot } from './order-root.ts';
import type { SearchQuery } from './request.ts';
import type { Enumeration } from './types.ts';

/**
 * Why the index leaves nothing out of a search. By the request: what `queryPlan` says; NO_ROOT, no index has this order root;
 * OPTIONS, another index key; BACKEND, another program; START, the request path is not in the catalog. By the index:
 * NO_HOST, nobody answers the barrier; VETO, the host or the state forbids it; OTHER_READER, the host may see other files;
 * OVERLAY, what changed could not be looked at; BUDGET, there was no time to look at all of it; SEGMENTS and CORRUPT, the files of the index cannot be used.
 */
export type IndexBypass =
  | BypassReason
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

/** What the stats say of the index; `bypass` null: it was used. */
export interface IndexFacts {
  readonly state: IndexState;
  readonly reason: IndexReason | null;
  readonly bypass: IndexBypass | null;
  readonly guarantee: FreshnessGuarantee;
  readonly storageMode: 'memory' | 'sqlite' | 'none';
  readonly storageFallback: string | null;
}

/** A search as the index sees it. */
export interface IndexAsk {
  readonly root: OrderRoot;
  readonly query: SearchQuery;
  readonly globs: Globs;
  readonly backend: SearchBackend;
  /** The walk of this search over a part of the tree. */
  readonly walk: (tree: SearchTree) => Enumeration;
  /** Whether anybody wants to know how many files there are. */
  readonly counts: boolean;
}

/** The files of a search that the index could not leave out. */
export interface IndexedFiles {
  readonly files: Enumeration;
  /** Files that the walk without an index would give, if that was asked for and is known before. */
  readonly total?: number;
  /** Files that were left out so far, where the walk goes over all of them. */
  readonly excluded?: () => number;
}

export interface IndexAnswer {
  readonly facts: IndexFacts;
  /** Absent with a bypass: all files are searched. */
  readonly indexed?: IndexedFiles;
}

/** What a search asks before it looks at the tree. */
export interface CandidateIndex {
  /** Never rejects; answers in some 20 ms at most when nobody is there. */
  ask(ask: IndexAsk): Promise<IndexAnswer>;
}
