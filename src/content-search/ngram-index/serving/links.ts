import { readerIdentity } from '../../../adapters/linux/reader-identity.ts';
import { treeView } from '../../../adapters/linux/tree-view.ts';
import type { SearchBackend } from '../../../core/ports/index.ts';
import { nodeTreeFiles } from '../../io/tree/read.ts';
import { nodeSearchTree } from '../../io/tree/tree.ts';
import { createCandidateIndex, type OpenCandidateIndex } from '../query/candidate-index.ts';
import type { OverlayBudget } from '../query/overlay-walk.ts';
import { diskIndexFiles } from '../storage/files-disk.ts';
import { loadHasher } from '../tokenize/hash.ts';
import { createBarrierClient } from './barrier-client.ts';
import { type IndexPlaceSettings, indexPlaces, type SearchedTrees } from './places.ts';

/** As the settings have it by default. */
export const DEFAULT_BUDGET: OverlayBudget = { fraction: 0.25, maxMs: 2_000, maxFiles: 50_000 };

/**
 * The indexes that a process which searches may use; undefined where there can be none. Connects when a search first asks.
 *
 * @param hostLimitMs how long a search waits for the host, as search-rules 1 has it unless given
 */
export async function openIndexLinks(
  settings: IndexPlaceSettings,
  trees: SearchedTrees,
  backend: SearchBackend,
  budget: OverlayBudget = DEFAULT_BUDGET,
  hostLimitMs?: number,
): Promise<OpenCandidateIndex | undefined> {
  const places = indexPlaces(settings, trees, backend);
  if (places.length === 0) return undefined;
  const { storageMode: mode, storageFallback: fallback } = settings;
  return createCandidateIndex({
    tree: nodeSearchTree(),
    stats: nodeTreeFiles(),
    hasher: await loadHasher(),
    identity: readerIdentity(),
    viewOf: treeView,
    budget,
    now: () => performance.now(),
    links: places.map(({ indexed, keyHash, directory }) => ({
      indexed,
      keyHash: Buffer.from(keyHash, 'hex'),
      backendId: backend.id,
      // Only ASCII folding is proved by measuring; what lies beyond is not left out (search-rules 23).
      folding: { strategy: backend.folding, provenBeyondAscii: false },
      host: createBarrierClient(directory, hostLimitMs),
      files: diskIndexFiles({ directory, keyHash }),
      storage: { mode, fallback },
    })),
  });
}
