import type { BarrierAnswer, BarrierClient, BytePath, IndexFiles, ReaderIdentity, SearchBackend, SearchTree, TreeFiles } from '../../../core/ports/index.ts';
import { ok } from '../../../core/result.ts';
import type { Globs } from '../../enumerate/globs.ts';
import { isAscii } from '../../search/order-key.ts';
import type { SearchQuery } from '../../search/request.ts';
import type { OrderRoot } from '../../search/sandbox.ts';
import { type IndexFacts, NO_INDEX_FACTS } from '../../search/stats.ts';
import type { Enumeration } from '../../search/types.ts';
import { type IndexedTree, policyOf } from '../build/indexed-tree.ts';
import type { Hasher } from '../tokenize/hash.ts';
import { candidatesOf, indexedFiles, type OverlayBudget, walkOverlay } from './candidates.ts';
import { patienceMs } from './patience.ts';
import { hostBypass, type IndexBypass, type KnownFolding, queryPlan, requestBypass } from './query-plan.ts';
import { guarded, LOST_SEGMENT, type SnapshotRefusal } from './refusal.ts';
import { isInCatalog, type SearchScope } from './scope.ts';
import { openSnapshot, type Snapshot } from './snapshot.ts';
import { statFiltered } from './stat-level.ts';
import { totalOf } from './total.ts';

/** A search as the index sees it. */
export interface IndexQuery {
  readonly root: OrderRoot;
  readonly query: SearchQuery;
  readonly globs: Globs;
  readonly backend: SearchBackend;
  /** The walk of this search over a part of the tree. */
  readonly walk: (tree: SearchTree) => Enumeration;
  /** Whether anybody wants to know how many files there are. */
  readonly countsFiles: boolean;
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

/** What a search asks before it enumerates the tree. */
export interface CandidateIndex {
  /** Never rejects; answers at once when nobody is there. */
  ask(query: IndexQuery): Promise<IndexAnswer>;
}

/** One index that searches may use. */
export interface SearchableIndex {
  readonly indexed: IndexedTree;
  /** SHA-256 of the index key. */
  readonly keyHash: Buffer;
  /** The backend of the key, `ugrep@3.11.2`. */
  readonly backendId: string;
  readonly folding: KnownFolding;
  /** What the backend takes as equal to the letters beyond ASCII of a pattern; see `KnownFolding.asked`. */
  readonly letters?: (pattern: string, fixedStrings: boolean) => Promise<ReadonlyMap<string, readonly string[]>>;
  readonly host: BarrierClient;
  readonly files: IndexFiles;
  readonly storage: { readonly mode: 'memory' | 'sqlite' | 'none'; readonly fallback: string | null };
}

export interface CandidateIndexDeps {
  readonly indexes: readonly SearchableIndex[];
  readonly tree: SearchTree;
  /** Looks at files, for an index that no events keep fresh. */
  readonly stats: Pick<TreeFiles, 'stat'>;
  readonly hasher: Hasher;
  /** Who this process is; policy and view are those of each index. */
  readonly identity: Omit<ReaderIdentity, 'policy' | 'view'>;
  /** What this process sees at an index root at this moment (`ReaderIdentity.view`). */
  readonly viewOf: (root: string) => string;
  /** What a search may spend on changes that are not indexed yet. */
  readonly budget: OverlayBudget;
  /** Milliseconds that never go back. */
  readonly now: () => number;
}

export interface OpenCandidateIndex extends CandidateIndex {
  /** Segments and connections; searches that run end first. */
  close(): void;
}

/**
 * The index as searches see it (local-search-index.md 7; design 8): barrier, then exactly the segments that its answer names,
 * then what they leave of the tree and what has changed since. In this order, because a change is in the overlay until a
 * published snapshot has it. Every doubt is a bypass: then the search goes over all files.
 */
export function createCandidateIndex({ indexes, tree, stats, hasher, identity, viewOf, budget, now }: CandidateIndexDeps): OpenCandidateIndex {
  const open = new Map<SearchableIndex, Snapshot>();
  /** What each host said last. */
  const told = new Map<SearchableIndex, BarrierAnswer>();

  /** The snapshot that the host named; the one before it is given up, and what is the same in both stays open. */
  function snapshotFor(index: SearchableIndex, { snapshot: id }: BarrierAnswer): Snapshot | IndexBypass {
    if (id === null) return 'SEGMENTS';
    const before = open.get(index);
    const opened = openSnapshot(index.files, id, { keyHash: index.keyHash }, hasher, before);
    if (!opened.ok) return refused(index, opened);
    before?.close();
    open.set(index, opened.snapshot);
    return opened.snapshot;
  }

  /** The host looks at what is told it, and replaces what is damaged. A file may only have gone in that moment. */
  function refused(index: SearchableIndex, { why, message }: SnapshotRefusal): IndexBypass {
    index.host.reportCorrupt(why === 'CORRUPT' ? message : `${LOST_SEGMENT}${message}`);
    return why === 'CORRUPT' ? 'CORRUPT' : 'SEGMENTS';
  }

  /** What the host says to a search that the index may serve. It is worth as much as the search without it would cost. */
  async function barrierOf(index: SearchableIndex, { query }: IndexQuery): Promise<BarrierAnswer | undefined> {
    const barrier = await index.host.barrier(patienceMs(documentsOf(index), query.timeoutMs, budget));
    if (barrier !== undefined) told.set(index, barrier);
    return barrier;
  }

  /** A search that no index serves waits for nobody, unless its stats are to say how the index is. The host counts it all the same. */
  async function passing(index: SearchableIndex, { countsFiles }: IndexQuery): Promise<BarrierAnswer | undefined> {
    const asked = index.host.barrier();
    return countsFiles ? asked : told.get(index);
  }

  /** Files of the index, as far as it is known here: those of the snapshot that was open last, else of the one on the disk. */
  function documentsOf(index: SearchableIndex): number {
    const known = open.get(index);
    if (known !== undefined) return known.live;
    const current = guarded(() => index.files.current());
    if (!current.ok || current.value === undefined || current.value === 'DAMAGED') return 0;
    const opened = openSnapshot(index.files, current.value, { keyHash: index.keyHash }, hasher);
    if (!opened.ok) return 0;
    open.set(index, opened.snapshot);
    return opened.snapshot.live;
  }

  async function ask(search: IndexQuery): Promise<IndexAnswer> {
    const { root, globs } = search;
    const index = indexes.find(({ indexed }) => indexed.root === root.directory);
    if (index === undefined) return bypass(NO_INDEX_FACTS, 'NO_ROOT');
    const folding = await foldingFor(index, search.query);
    const plan = queryPlan(search.query, folding, index.indexed.ngramK);
    const refusal = requestBypass(search, index) ?? ('bypass' in plan ? plan.bypass : undefined);
    const barrier = await (refusal === undefined ? barrierOf(index, search) : passing(index, search));
    const facts = factsOf(index, barrier);
    if (refusal !== undefined || 'bypass' in plan) return bypass(facts, refusal ?? 'NO_USABLE_NGRAM');
    if (barrier === undefined) return bypass(facts, 'NO_HOST');
    const why = hostBypass(barrier, { ...identity, policy: policyOf(index.indexed) }, () => viewOf(index.indexed.root));
    if (why !== undefined) return bypass(facts, why);
    const snapshot = snapshotFor(index, barrier);
    if (typeof snapshot === 'string') return bypass(facts, snapshot);
    const scope: SearchScope = { path: bytesOf(root.start), kind: 'directory' };
    const known = scope.path === '' ? ok(true) : isInCatalog(snapshot, scope);
    if (!known.ok) return bypass(facts, refused(index, known));
    if (!known.value) return bypass(facts, 'START');
    const found = candidatesOf(snapshot, plan, scope);
    if (!found.ok) return bypass(facts, refused(index, found));
    const { paths } = found;
    if (barrier.guarantee === 'stat') {
      const files = statFiltered({ walk: search.walk(tree), snapshot, paths, root: index.indexed.root, stats });
      return { facts, indexed: { files, excluded: files.excluded } };
    }
    const walked = walkOverlay(search, tree, barrier, budget, now);
    if (typeof walked === 'string') return bypass(facts, walked);
    const files = indexedFiles({ paths, overlay: barrier.overlay, walked, globs, start: root.start });
    if (!search.countsFiles) return { facts, indexed: { files } };
    const total = totalOf(snapshot, scope, barrier.overlay, globs, walked.length);
    return total.ok ? { facts, indexed: { files, total: total.value } } : bypass(facts, refused(index, total));
  }

  return {
    ask,
    close() {
      for (const snapshot of open.values()) snapshot.close();
      open.clear();
      for (const { host } of indexes) host.close();
    },
  };
}

/** Letters beyond ASCII are asked about where case does not count, before the barrier, because the first time takes a while. */
async function foldingFor({ folding, letters }: SearchableIndex, { pattern, fixedStrings, ignoreCase, fuzzy }: SearchQuery): Promise<KnownFolding> {
  if (!ignoreCase || fuzzy > 0 || letters === undefined || isAscii(pattern)) return folding;
  return { ...folding, asked: await letters(pattern, fixedStrings) };
}

function bytesOf(path: string | Buffer): BytePath {
  return (typeof path === 'string' ? Buffer.from(path) : path).toString('latin1');
}

function factsOf({ storage }: SearchableIndex, barrier: BarrierAnswer | undefined): IndexFacts {
  const stored = { storageMode: storage.mode, storageFallback: storage.fallback, bypass: null };
  if (barrier === undefined) return { ...stored, state: 'UNCERTAIN', reason: 'WATCHER_DOWN', guarantee: 'none' };
  return { ...stored, state: barrier.state, reason: barrier.reason, guarantee: barrier.guarantee };
}

function bypass(facts: IndexFacts, why: IndexBypass): IndexAnswer {
  return { facts: { ...facts, bypass: why } };
}
