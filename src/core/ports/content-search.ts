import type { ContentSearchAnswer, ContentSearchErrorCode, ContentSearchStats } from '../../contracts/index.ts';

/** Why a search has no answer; the field is the one of the request that is to blame. */
export interface ContentSearchError {
  readonly code: ContentSearchErrorCode;
  readonly field: string | undefined;
  /** For people; names no path outside of the allowed roots. */
  readonly message: string;
}

export type ContentSearchOutcome =
  | { readonly ok: true; readonly answer: ContentSearchAnswer; readonly run: ContentSearchRun }
  | { readonly ok: false; readonly error: ContentSearchError };

/** The stats of a search (local-search-index.md 10.2) that cost nothing to know. */
export type ContentSearchFacts = Omit<ContentSearchStats, 'candidates_total' | 'candidates_excluded' | 'candidates_scanned' | 'elapsed_ms'>;

/** What happened while it ran, for metrics and logs; nothing of it is part of the answer. */
export interface ContentSearchRun {
  readonly backend: BackendKind;
  readonly elapsedMs: number;
  readonly files: number;
  readonly processes: number;
  /** Whether the fuzzy fallback has searched. */
  readonly fallbackUsed: boolean;
  /** Why the index left nothing out; null if it was used. */
  readonly indexBypass: string | null;
  /** Milliseconds until the index had answered, its host's barrier included; absent where there is none. */
  readonly indexBarrierMs?: number;
  /** Files that the index left out, if they were counted. */
  readonly indexExcluded?: number;
  /** What the stats would say, whether the answer carries them or not; files are counted for an answer that does. */
  readonly facts: ContentSearchFacts;
  /** What the backends wrote to stderr, shortened: for the log of the operator, not for the caller. */
  readonly backendStderr: string;
}

/** The `Search` tool as every surface sees it (local-search-index.md 2). */
export interface ContentSearch {
  /**
   * One search. The request is judged here. Never rejects for anything a request can do; an aborted search ends at once
   * with any outcome, its caller knows why.
   */
  search(request: unknown, signal: AbortSignal): Promise<ContentSearchOutcome>;
}

export type BackendKind = 'ugrep' | 'rg';

/** How a backend folds letters with -i: measured when it is found, not believed from its version (FR-LSI-TOK-04). */
export type CaseFolding = 'ASCII' | 'UNICODE_SIMPLE' | 'UNKNOWN';

/** A program that searches files, as found on this host. */
export interface SearchBackend {
  readonly kind: BackendKind;
  /** `ugrep@3.11.2`, `rg@15.0.0` (FR-LSI-BE-CAP-01). */
  readonly id: string;
  readonly folding: CaseFolding;
  readonly fuzzy: boolean;
  /** How it takes lists of files: as arguments, in pieces; or from stdin (ugrep 7.4 and later). */
  readonly fileList: 'ARGV_CHUNKED' | 'FROM_STDIN';
  /** Starts one process. Never throws for what a pattern or a name can do; a process that cannot be started shows in `ended`. */
  start(job: BackendJob): BackendProcess;
}

/** What to look for, in the words of the tool; a backend has its own arguments for each. */
export interface BackendQuery {
  readonly pattern: string;
  readonly fixedStrings: boolean;
  readonly wordRegexp: boolean;
  readonly ignoreCase: boolean;
  readonly context: number;
  /** 0: exact. */
  readonly fuzzy: number;
  /** Most matching lines of one file. */
  readonly maxCount: number;
  /** Whether a record has the place of its match behind the number of the line: `PATH NUL LINE : BYTES : text`, bytes counted in the file as UTF-8. Not with context. */
  readonly offsets?: true;
}

export interface BackendJob {
  readonly query: BackendQuery;
  /** Directory in which the process runs, absolute: the order root. */
  readonly cwd: string;
  /** Paths relative to `cwd`, UTF-8, without `./`; the process answers in this order. None and no descriptor: an empty file is searched. */
  readonly files: readonly string[];
  /**
   * Instead of `files`: an open descriptor of one file whose name cannot be an argument. It belongs to the backend from here
   * on, which closes its copy when the process has been started. In the output the file is called `<stdin>`.
   */
  readonly descriptor?: { readonly fd: number };
  /** Instead of `files`: the text that is searched, called `<stdin>` too. */
  readonly text?: string;
}

/** How one backend is spoken to: what its program is told, and how it says which version it is (local-search-index.md G.4). */
export interface BackendDialect {
  readonly kind: BackendKind;
  /** Finds major, minor and, if there is one, patch in the answer to `--version`. */
  readonly version: RegExp;
  readonly oldest: readonly [major: number, minor: number, patch: number];
  /** Arguments in front of `--` and the names of files; the pattern is among them. */
  options(query: BackendQuery): readonly string[];
}

/** A running backend. Its output is `PATH NUL LINE (:|-) text LF` for each line, both backends alike. */
export interface BackendProcess {
  /** The bytes of stdout as they come. Whoever does not read stops the process (back-pressure). */
  readonly stdout: AsyncIterable<Buffer>;
  /** Resolves when the process is gone and its streams are closed, whatever the reason. */
  readonly ended: Promise<BackendEnd>;
  /** Ends it by SIGKILL. */
  kill(): void;
}

export interface BackendEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The first 64 KiB. */
  readonly stderr: string;
  /** Set when the process could not be started. */
  readonly startError?: string;
}

/** The kinds of entries that a search cares about; everything else (devices, sockets, FIFOs) is never listed. */
export type TreeEntryKind = 'file' | 'directory' | 'link';

export interface TreeEntry {
  /** The bytes of the name as the file system has them. */
  readonly name: Buffer | string;
  readonly kind: TreeEntryKind;
}

/** What the enumerator needs of a file system. Paths are absolute; the bytes of names are kept (a string is UTF-8 for sure). */
export interface SearchTree {
  /** The entries of a directory in any order, or why it cannot be read. */
  list(directory: Buffer | string): readonly TreeEntry[] | TreeRefusal;
  /** A small regular file (an ignore file), never through a link as the last name; `EFBIG` if it is larger than `maxBytes`. */
  readSmall(file: Buffer | string, maxBytes: number): Buffer | TreeRefusal;
  /** Where a path really lies and what it is, every link followed. */
  resolve(path: Buffer | string): TreeTarget | TreeRefusal;
}

export interface TreeTarget {
  readonly realPath: Buffer;
  readonly kind: 'file' | 'directory' | 'other';
  readonly dev: number;
  readonly ino: number;
}

/** An errno name, `EACCES`. */
export interface TreeRefusal {
  readonly refused: string;
}

/** Opening of single entries of a tree. Paths are absolute; a link as the last name is not followed. */
export interface SearchFiles {
  /** What can be opened for reading at this moment, or why nothing can. */
  probe(path: Buffer | string): 'file' | 'directory' | TreeRefusal;
  /** A descriptor of a regular file, which its caller closes. */
  open(path: Buffer | string): number | TreeRefusal;
  /** Everything in a file that was opened, and closes it; undefined if it has more bytes than that, its owner may not read it, or it cannot be read. */
  readAll(fd: number, maxBytes: number): Buffer | undefined;
  /** A file that was opened, to be read in pieces. */
  reader(fd: number): FileReader;
}

/** Reads an open file here and there, and closes it. */
export interface FileReader {
  /** Fills the buffer from a place of the file on. Gives how many bytes came: fewer at the end of the file, and where it cannot be read. */
  read(into: Buffer, from: number): number;
  close(): void;
}
