import type { BackendQuery, ContentSearchError, FileReader, SearchBackend } from '../../core/ports/index.ts';

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
  /** Opens a candidate to look for the beginning of a line; undefined where it cannot be opened. */
  readonly reader: (candidate: Candidate) => FileReader | undefined;
  /**
   * Reads a candidate, so that this process can search it where that is the same (run/match-here.ts): the whole file, if it is
   * a plain one of at most so many bytes, and its owner may read it. Without, only backends search.
   */
  readonly read?: (candidate: Candidate, maxBytes: number) => Buffer | undefined;
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
