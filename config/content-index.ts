import path from 'node:path';
import { z } from 'zod';
import { INDEX_MODES, isReservedName } from '../src/contracts/index.ts';
import { isWithin } from './base-directories.ts';

/**
 * The keys of `[tools.search]` that are about the index (local-search-index.md 13.1 and F.1, under the names that stand
 * there). What lies on the disk is judged by the index host when it starts.
 */

const MAX = Number.MAX_SAFE_INTEGER;
const DAY_MS = 86_400_000;

/** Where searches and indexes may begin. */
export const searchedRoot = z
  .string()
  .refine((text) => path.posix.isAbsolute(text) && !text.includes('\0'), 'must be an absolute path')
  .refine(
    (text) => path.posix.normalize(text) === text && !text.endsWith('/'),
    'must be written plainly: no "." or "..", no double and no closing slash; not "/" itself',
  )
  .refine((text) => !text.split('/').some(isReservedName), 'must not contain a reserved name');

const cachePath = z
  .string()
  .max(4096)
  .refine(
    (text) =>
      text === '' || (path.posix.isAbsolute(text) && !text.includes('\0') && path.posix.normalize(text) === text && text !== '/' && !text.endsWith('/')),
    'must be empty or an absolute path, written plainly',
  );

export const indexSettings = {
  index_mode: z
    .enum(INDEX_MODES)
    .default('off')
    .describe('Whether trees are indexed, so that searches read only files that can match: off, on, or auto (only trees above the thresholds).'),
  index_storage: z
    .enum(['memory', 'sqlite'])
    .default('sqlite')
    .describe('Where indexes are kept: in files beside a SQLite database, or in memory until the host ends.'),
  index_path: cachePath
    .default('')
    .describe("Directory for the files of indexes, outside of everything that is searched; empty: the user's cache directory, writ/search-index."),
  index_roots: z
    .array(searchedRoot)
    .max(1000)
    .default([])
    .describe('Directories that get an index each; it serves searches that begin there. None: the first allowed root of [tools.sandbox].'),
  index_auto_threshold_files: z.int().min(0).max(MAX).default(2000).describe('With index_mode = "auto": a tree with more eligible files is indexed.'),
  index_auto_threshold_bytes: z.int().min(0).max(MAX).default(500_000_000).describe('With index_mode = "auto": a tree with more eligible bytes is indexed.'),
  index_auto_reeval_calls: z.int().min(1).max(1_000_000).default(100).describe('Searches of a tree below the thresholds after which it is measured again.'),
  index_build_timeout_ms: z
    .int()
    .min(1)
    .max(DAY_MS)
    .default(300_000)
    .describe('Time of one build; then it stops, goes on from there later, and no file is left out.'),
  index_build_max_files: z.int().min(0).max(MAX).default(0).describe('Files that a build indexes before it stops; 0: no limit.'),
  index_build_max_bytes: z.int().min(0).max(MAX).default(0).describe('Bytes of files that a build reads before it stops; 0: no limit.'),
  index_build_max_cpu_percent: z.int().min(1).max(100).default(50).describe('Share of one core that a build takes while searches come.'),
  index_build_throttle_ms: z.int().min(0).max(60_000).default(10).describe('Pause of a build between two groups of files while searches come.'),
  index_idle_boost_ms: z.int().min(0).max(3_600_000).default(1000).describe('Time without a search after which a build runs at full speed; 0: always.'),
  index_retry_on_failure: z.boolean().default(false).describe('Whether a build that failed is tried again without being asked for.'),
  index_checkpoint_on_shutdown: z.boolean().default(true).describe('Whether a build that is ended by a shutdown goes on from there at the next start.'),
  index_shutdown_timeout_ms: z
    .int()
    .min(0)
    .max(600_000)
    .default(5000)
    .describe('Time that the index host gets to end; what is not quiet by then is ended hard.'),
  index_watch: z
    .boolean()
    .default(true)
    .describe('Whether changes are learned from events of the file system (inotify); otherwise a search looks at each file before it is left out.'),
  index_watch_debounce_ms: z
    .int()
    .min(0)
    .max(60_000)
    .default(250)
    .describe('Time without a further change after which changed files are indexed; searches see every change at once all the same.'),
  index_max_db_bytes: z
    .int()
    .min(1_048_576)
    .max(MAX)
    .default(1_073_741_824)
    .describe('Room of all indexes together, on disk or in memory; the ones that were not used for longest go first.'),
  index_max_indexes: z.int().min(1).max(1000).default(10).describe('Most indexes that are kept.'),
  index_lock_timeout_ms: z
    .int()
    .min(0)
    .max(60_000)
    .default(250)
    .describe('Time to wait for the records of the index; after it a search goes without the index.'),
  index_integrity_check: z
    .enum(['off', 'on_open', 'periodic'])
    .default('on_open')
    .describe('When the checksums of an index are verified whole: never, at the start of the host, or also every index_integrity_period_calls searches.'),
  index_integrity_period_calls: z.int().min(1).max(1_000_000_000).default(200).describe('Searches between two checks with index_integrity_check = "periodic".'),
  index_allow_insecure_persistence: z
    .boolean()
    .default(false)
    .describe('Whether index files may lie where others of this machine can read them; otherwise such an index stays in memory.'),
  index_max_tokenized_bytes: z
    .int()
    .min(2)
    .max(67_108_864)
    .default(1_048_576)
    .describe('Files are indexed in windows of this size; those of more than 64 windows are looked at by every search.'),
  reconcile_max_files: z
    .int()
    .min(1)
    .max(MAX)
    .default(50_000)
    .describe(
      'Changed files that a search looks at itself before they are indexed; with more it goes without the index. The passes of the host have no limit.',
    ),
  reconcile_max_ms: z.int().min(1).max(600_000).default(2000).describe('Time that a search may spend on such files.'),
  index_maint_budget_fraction: z
    .number()
    .min(0)
    .max(1)
    .default(0.25)
    .describe('Share of the time limit of a search that it may spend on such files; what takes longer goes without the index.'),
  bloom_ngram_k: z.int().min(1).max(8).default(3).describe('Characters of the n-grams that an index knows; shorter patterns leave no file out.'),
  bloom_target_fp_rate: z
    .number()
    .min(0.000_001)
    .max(0.5)
    .default(0.01)
    .describe('Rate of false positives for which Bloom filters are sized, where one is asked for.'),
};

/** The keys of the index alone, as a program has them that uses the library. */
export const IndexSettings = z.strictObject(indexSettings);

/** What the rules over several keys look at. */
interface CrossKeySettings {
  readonly search: {
    readonly index_mode: (typeof INDEX_MODES)[number];
    readonly index_path: string;
    readonly index_roots: readonly string[];
    readonly index_auto_threshold_bytes: number;
    readonly index_max_db_bytes: number;
    readonly index_max_indexes: number;
  };
  readonly sandbox: { readonly allowed_roots: readonly string[] };
}

export interface IndexFault {
  /** Below `tools`. */
  readonly path: string[];
  readonly message: string;
}

/** Bytes of an index for each byte that is indexed, as far as nothing better is known (search-rules 17). */
const BYTES_PER_ELIGIBLE_BYTE = 0.16;

/** Settings that are well each and make no sense together; nothing is said while the index is off. */
export function indexFaults({ search, sandbox }: CrossKeySettings): IndexFault[] {
  if (search.index_mode === 'off') return [];
  const fault = (key: string, message: string): IndexFault => ({ path: ['search', key], message });
  const searched = [...sandbox.allowed_roots, ...search.index_roots].find((root) => isWithin(search.index_path, root));
  const outside =
    sandbox.allowed_roots.length === 0 ? undefined : search.index_roots.find((root) => !sandbox.allowed_roots.some((allowed) => isWithin(root, allowed)));
  const needed = Math.ceil(search.index_auto_threshold_bytes * BYTES_PER_ELIGIBLE_BYTE);
  return [
    ...(searched === undefined ? [] : [fault('index_path', `must lie outside of what is searched; it is in ${searched}`)]),
    ...(outside === undefined ? [] : [fault('index_roots', `must lie in allowed_roots of [tools.sandbox]: nobody may search ${outside}`)]),
    ...(new Set(search.index_roots).size === search.index_roots.length ? [] : [fault('index_roots', 'must not name a directory twice')]),
    ...(search.index_roots.length <= search.index_max_indexes
      ? []
      : [fault('index_max_indexes', `must be at least the number of index_roots (${search.index_roots.length})`)]),
    ...(search.index_mode !== 'auto' || needed <= search.index_max_db_bytes
      ? []
      : [fault('index_max_db_bytes', `must be at least ${needed}: the index of a tree of index_auto_threshold_bytes needs about that`)]),
  ];
}
