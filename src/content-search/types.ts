import type { BackendQuery, ContentSearchError, FreshnessGuarantee, IndexReason, IndexState, SearchBackend, SearchTree } from '../core/ports/index.ts';
import type { Globs } from './enumerate/index.ts';
import type { BypassReason } from './index/query-plan.ts';
import type { OrderRoot } from './order-root.ts';
import type { SearchQuery } from './request.ts';

/** A file that is to be searched. Candidates come in key order; their place in that order is their number. */
export interface Candidate {
  /** Path relative to the order root, with `/`; bytes that are not UTF-8 are U+FFFD. */
  readonly text: string;
  /** The bytes of the path, only when they are not UTF-8. */
  readonly raw: Buffer | undefined;
}

/** Something that could not be looked into, told in the answer's `stderr`. */
export interface Warning {
  /** Number of the candidate before which it stands in key order. */
  readonly before: number;
  /** One line for people, control characters escaped. */
  readonly line: string;
}

/** The files of one request, one piece after the other. */
export interface Enumeration {
  /** At most `limit` further candidates (at least one); empty at the end. Synchronous: reads just as many directories as it takes. */
  next(limit: number): readonly Candidate[];
  /** What was found wrong so far, in order. */
  readonly warnings: readonly Warning[];
}

/** One line of the answer before it gets its final form. */
export interface RunEvent {
  /** Number of the candidate. */
  readonly file: number;
  readonly path: string;
  readonly type: 'match' | 'context';
  readonly line: number;
  readonly text: string;
}

export interface RunOptions {
  readonly backend: SearchBackend;
  readonly query: BackendQuery;
  /** The order root. */
  readonly cwd: string;
  readonly files: Enumeration;
  /** Most events of the answer. */
  readonly maxEvents: number;
  /** Events beyond what surely fills an answer of as many bytes are not collected: memory stays bounded. None: all are. */
  readonly maxBytes?: number;
  /** On the clock of `now`, milliseconds. */
  readonly deadline: number;
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Processes at a time. */
  readonly lanes: number;
  /** Whether the candidate can be opened for reading at this moment without following a link; an errno name if not. */
  readonly tryOpen: (candidate: Candidate) => string | undefined;
  /** Opens a candidate whose name cannot be an argument; a descriptor, or an errno name. */
  readonly open: (candidate: Candidate) => number | string;
  /**
   * Where nothing else confines the backends: gives those of the candidates that still are where they were. `before` a process
   * is started the others are left out of it; `after` it has read a file that has events, these are left out of the answer.
   */
  readonly recheck?: (candidates: readonly Candidate[], when: 'before' | 'after') => ReadonlySet<Candidate>;
}

/** How a run ended (FR-LSI-EXIT-01). */
export type RunEnd = 'ok_with_matches' | 'ok_no_matches' | 'truncated' | 'timed_out' | 'backend_error';

export interface RunResult {
  readonly end: RunEnd;
  /** In order, at most `maxEvents`. */
  readonly events: readonly RunEvent[];
  readonly truncated: boolean;
  /** Whether `truncated` is an assumption (FR-LSI-TRUNC-01a.4). */
  readonly truncationAssumed: boolean;
  readonly timedOut: boolean;
  /** Files that could not be opened, in order; `before` is the number of the file itself. */
  readonly warnings: readonly Warning[];
  /** Candidates up to the last one that was searched for this answer. */
  readonly scanned: number;
  /** Candidates that were enumerated. */
  readonly enumerated: number;
  readonly linesCut: number;
  readonly processes: number;
  /** Why it is a `backend_error`. */
  readonly error: ContentSearchError | undefined;
  readonly backendStderr: string;
}

/**
 * Why the index leaves nothing out of a search. By the request: what `queryPlan` says; NO_ROOT, no index has this order root;
 * OPTIONS, another index key; BACKEND, another program; START, the request path is not in the catalog. By the index:
 * NO_HOST, nobody answers the barrier; VETO, the host or the state forbids it; OTHER_READER, the host may see other files;
 * OVERLAY, what changed could not be looked at; SEGMENTS and CORRUPT, the files of the index cannot be used.
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
