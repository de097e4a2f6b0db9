import { isDeepStrictEqual } from 'node:util';
import type { BarrierAnswer, BarrierClient, BytePath, IndexFiles, ReaderIdentity, SearchTree, TreeFiles } from '../../../core/ports/index.ts';
import type { CandidateIndex, IndexAnswer, IndexAsk, IndexBypass, IndexFacts } from '../../search/index-port.ts';
import { type IndexedTree, policyOf } from '../build/indexed-tree.ts';
import type { Hasher } from '../tokenize/hash.ts';
import { candidatesOf } from './candidates.ts';
import { indexedFiles } from './indexed-files.ts';
import { type OverlayBudget, walkOverlay } from './overlay-walk.ts';
import { type IndexedPlace, isInCatalog } from './place.ts';
import { type KnownFolding, queryPlan } from './query-plan.ts';
import { LOST_SEGMENT } from './refusal.ts';
import { openSnapshot, type Snapshot } from './snapshot.ts';
import { statFiltered } from './stat-level.ts';
import { totalOf } from './total.ts';

/** One index that searches may use. */
export interface IndexLink {
  readonly indexed: IndexedTree;
  /** SHA-256 of the index key. */
  readonly keyHash: Buffer;
  /** The backend of the key, `ugrep@3.11.2`. */
  readonly backendId: string;
  readonly folding: KnownFolding;
  readonly host: BarrierClient;
  readonly files: IndexFiles;
  readonly storage: { readonly mode: 'memory' | 'sqlite' | 'none'; readonly fallback: string | null };
}

/** Who searches, whatever the tree. */
type Reader = Omit<ReaderIdentity, 'policy' | 'view'>;

export interface CandidateIndexDeps {
  readonly links: readonly IndexLink[];
  readonly tree: SearchTree;
  /** Looks at files, for an index that no events keep fresh. */
  readonly stats: Pick<TreeFiles, 'stat'>;
  readonly hasher: Hasher;
  /** Who this process is; policy and view are those of each link. */
  readonly identity: Reader;
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
export function createCandidateIndex({ links, tree, stats, hasher, identity, viewOf, budget, now }: CandidateIndexDeps): OpenCandidateIndex {
  const open = new Map<IndexLink, Snapshot>();

  /** The snapshot that the host named; the one before it is given up, and what is the same in both stays open. */
  function snapshotFor(link: IndexLink, { snapshot: id }: BarrierAnswer): Snapshot | IndexBypass {
    if (id === null) return 'SEGMENTS';
    const before = open.get(link);
    const opened = openSnapshot(link.files, id, { keyHash: link.keyHash }, hasher, before);
    if (!opened.ok) return refused(link, opened);
    before?.close();
    open.set(link, opened.snapshot);
    return opened.snapshot;
  }

  /** The host looks at what is told it, and replaces what is damaged. A file may only have gone in that moment. */
  function refused(link: IndexLink, { why, message }: { readonly why: 'CORRUPT' | 'MISSING' | 'REFUSED'; readonly message: string }): IndexBypass {
    link.host.reportCorrupt(why === 'CORRUPT' ? message : `${LOST_SEGMENT}${message}`);
    return why === 'CORRUPT' ? 'CORRUPT' : 'SEGMENTS';
  }

  async function ask(ask: IndexAsk): Promise<IndexAnswer> {
    const link = links.find(({ indexed }) => indexed.root === ask.root.directory);
    if (link === undefined) return bypass(NOBODY, 'NO_ROOT');
    const barrier = await link.host.barrier();
    const facts = factsOf(link, barrier);
    if (barrier === undefined) return bypass(facts, 'NO_HOST');
    const plan = queryPlan(ask.query, link.folding, link.indexed.ngramK);
    const obstacle =
      obstacleOf(ask, link) ??
      ('bypass' in plan ? plan.bypass : undefined) ??
      vetoOf(barrier, { ...identity, policy: policyOf(link.indexed) }, () => viewOf(link.indexed.root));
    if (obstacle !== undefined || 'bypass' in plan) return bypass(facts, obstacle ?? 'NO_USABLE_NGRAM');
    const snapshot = snapshotFor(link, barrier);
    if (typeof snapshot === 'string') return bypass(facts, snapshot);
    const place: IndexedPlace = { path: bytesOf(ask.root.start), kind: 'directory' };
    const known = place.path === '' ? { ok: true as const, value: true } : isInCatalog(snapshot, place);
    if (!known.ok) return bypass(facts, refused(link, known));
    if (!known.value) return bypass(facts, 'START');
    const found = candidatesOf(snapshot, plan, place);
    if (!found.ok) return bypass(facts, refused(link, found));
    if (barrier.guarantee === 'stat') {
      const files = statFiltered({ walk: ask.walk(tree), snapshot, paths: found.paths, root: link.indexed.root, stats });
      return { facts, indexed: { files, excluded: files.excluded } };
    }
    const walked = walkOverlay(ask, tree, barrier, budget, now);
    if (typeof walked === 'string') return bypass(facts, walked);
    const files = indexedFiles({ paths: found.paths, overlay: barrier.overlay, walked, globs: ask.globs, start: ask.root.start });
    if (!ask.counts) return { facts, indexed: { files } };
    const total = totalOf(snapshot, place, barrier.overlay, ask.globs, walked.length);
    return total.ok ? { facts, indexed: { files, total: total.value } } : bypass(facts, refused(link, total));
  }

  return {
    ask,
    close() {
      for (const snapshot of open.values()) snapshot.close();
      open.clear();
      for (const { host } of links) host.close();
    },
  };
}

/** What of a request no index of ours serves. */
function obstacleOf({ root, query, backend }: IndexAsk, { indexed, backendId }: IndexLink): IndexBypass | undefined {
  if (query.follow || query.hidden !== indexed.hidden || query.noIgnore !== indexed.noIgnore) return 'OPTIONS';
  if (backend.id !== backendId) return 'BACKEND';
  // One file is read sooner than any index.
  return root.startKind === 'directory' ? undefined : 'START';
}

function vetoOf({ veto, state, identity: host }: BarrierAnswer, reader: Reader & Pick<ReaderIdentity, 'policy'>, view: () => string): IndexBypass | undefined {
  if (veto !== null || state !== 'COMPLETE') return 'VETO';
  return sameRights(host, reader) && seesTheSame(host, reader, view) ? undefined : 'OTHER_READER';
}

/** Search-rules 27: who has other rights may see other files than the host has read. What cannot be told is no equality. */
function sameRights(a: ReaderIdentity, b: Omit<ReaderIdentity, 'view'>): boolean {
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
function seesTheSame(host: ReaderIdentity, reader: Reader, view: () => string): boolean {
  if (host.mountNamespace !== '' && host.mountNamespace === reader.mountNamespace) return true;
  return host.view !== '' && host.view === view();
}

function bytesOf(path: string | Buffer): BytePath {
  return (typeof path === 'string' ? Buffer.from(path) : path).toString('latin1');
}

const NOBODY: IndexFacts = { state: 'DISABLED', reason: null, bypass: null, guarantee: 'none', storageMode: 'none', storageFallback: null };

function factsOf({ storage }: IndexLink, barrier: BarrierAnswer | undefined): IndexFacts {
  const stored = { storageMode: storage.mode, storageFallback: storage.fallback, bypass: null };
  if (barrier === undefined) return { ...stored, state: 'UNCERTAIN', reason: 'WATCHER_DOWN', guarantee: 'none' };
  return { ...stored, state: barrier.state, reason: barrier.reason, guarantee: barrier.guarantee };
}

function bypass(facts: IndexFacts, why: IndexBypass): IndexAnswer {
  return { facts: { ...facts, bypass: why } };
}
