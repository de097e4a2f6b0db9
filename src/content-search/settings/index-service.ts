import type { Config } from '../../../config/schema.ts';
import type { IndexService, MaintenanceLane } from '../../core/ports/index.ts';
import { openIndexService } from '../ngram-index/serving/index-service.ts';
import { indexStorage } from '../ngram-index/storage/choose.ts';
import type { SearchSurroundings } from './content-settings.ts';

export interface IndexServiceConfig {
  readonly config: Pick<Config, 'tools'>;
  readonly surroundings: Pick<SearchSurroundings, 'cache'>;
  readonly lane: Pick<MaintenanceLane, 'submit'>;
}

/** The indexes of a pool, as its settings name them, for processes beside their host. */
export function indexService({ config, surroundings: { cache }, lane }: IndexServiceConfig): IndexService {
  const { search, sandbox } = config.tools;
  const storage = {
    storage: search.index_storage,
    indexPath: search.index_path,
    allowInsecure: search.index_allow_insecure_persistence,
    allowedRoots: sandbox.allowed_roots,
    deniedPatterns: sandbox.denied_patterns,
    includeDefaultDenies: sandbox.include_default_denies,
  };
  return openIndexService({
    mode: search.index_mode,
    roots: search.index_roots.length > 0 ? search.index_roots : sandbox.allowed_roots.slice(0, 1),
    cacheRoot: () => (search.index_mode === 'off' ? null : indexStorage(storage, cache).cacheRoot),
    lockTimeoutMs: search.index_lock_timeout_ms,
    lane,
  });
}
