import { randomUUID } from 'node:crypto';
import { readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../../../../config/schema.ts';
import { createBarrierClient } from '../../../adapters/content-index/barrier-client.ts';
import { openContentIndexView } from '../../../adapters/content-index/sqlite-store.ts';
import { createIndexService } from '../../../content-search/index/service.ts';
import { IndexStatus } from '../../../contracts/index.ts';
import type { IndexRecords, IndexService, MaintenanceLane } from '../../../core/ports/index.ts';
import { indexStorage } from './storage.ts';

export interface IndexServiceWiring {
  readonly config: Pick<Config, 'tools'>;
  readonly lane: Pick<MaintenanceLane, 'submit'>;
}

/** Longer than a search waits: nobody's answer hangs on it. */
const STATUS_LIMIT_MS = 500;

/** The indexes of a pool for processes beside their host: what they left on the disk, and what the running hosts say. */
export function indexService({ config, lane }: IndexServiceWiring): IndexService {
  const { search, sandbox } = config.tools;
  const roots = (search.index_roots.length > 0 ? search.index_roots : sandbox.allowed_roots.slice(0, 1)).map(canonical);
  const cacheRoot = (): string | null => (search.index_mode === 'off' ? null : cacheRootOf(config));
  return createIndexService({
    mode: search.index_mode,
    roots,
    lane,
    look: async (work) => lookInto(cacheRoot(), search.index_lock_timeout_ms, work),
    hosts: async () => (await Promise.all(indexDirectories(cacheRoot()).map(askHost))).flat(),
  });
}

function cacheRootOf({ tools: { search, sandbox } }: Pick<Config, 'tools'>): string | null {
  const { cacheRoot } = indexStorage({
    storage: search.index_storage,
    indexPath: search.index_path,
    allowInsecure: search.index_allow_insecure_persistence,
    allowedRoots: sandbox.allowed_roots,
    deniedPatterns: sandbox.denied_patterns,
    includeDefaultDenies: sandbox.include_default_denies,
  });
  return cacheRoot;
}

/** Every directory of an index; none when there can be none. */
function indexDirectories(cacheRoot: string | null): readonly string[] {
  if (cacheRoot === null) return [];
  return readdirSync(cacheRoot)
    .filter((name) => /^[0-9a-f]{16}$/.test(name))
    .map((name) => path.join(cacheRoot, name));
}

function lookInto<T>(directory: string | null, lockTimeoutMs: number, work: (records: IndexRecords) => T): readonly T[] {
  if (directory === null) return [];
  const opened = openContentIndexView({ directory, lockTimeoutMs });
  if (!opened.ok || opened.value === undefined) return [];
  try {
    const answer = opened.value.read(work);
    return answer.ok ? [answer.value] : [];
  } finally {
    opened.value.close();
  }
}

async function askHost(directory: string): Promise<readonly IndexStatus[]> {
  const client = createBarrierClient(directory, STATUS_LIMIT_MS);
  try {
    const text = await client.status();
    // Empty until the host has said something for the first time.
    return text === undefined || text === '' ? [] : [IndexStatus.parse(JSON.parse(text))];
  } catch {
    // A host of another version: it is there, and what it says is not understood.
    return [];
  } finally {
    client.close();
  }
}

function canonical(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return directory;
  }
}

/** Id of a job. */
export function randomHex(): string {
  return randomUUID().replaceAll('-', '');
}
