import { readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { IndexStatus } from '../../../contracts/index.ts';
import type { IndexMode, IndexRecords, IndexService, MaintenanceLane } from '../../../core/ports/index.ts';
import { createIndexService } from '../indexer/service.ts';
import { openContentIndexView } from '../storage/sqlite-store.ts';
import { createBarrierClient } from './barrier-client.ts';

export interface IndexServiceOptions {
  readonly mode: IndexMode;
  /** Roots that the settings want to be indexed, as they are written there. */
  readonly roots: readonly string[];
  /** Where indexes lie; asked with each look. `null`: there can be none. */
  readonly cacheRoot: () => string | null;
  readonly lockTimeoutMs: number;
  readonly lane: Pick<MaintenanceLane, 'submit'>;
}

/** Longer than a search waits: nobody's answer hangs on it. */
const STATUS_LIMIT_MS = 500;

/** The indexes of a pool for processes beside their host: what they left on the disk, and what the running hosts say. */
export function openIndexService({ mode, roots, cacheRoot, lockTimeoutMs, lane }: IndexServiceOptions): IndexService {
  return createIndexService({
    mode,
    roots: roots.map(canonical),
    lane,
    hasPlace: () => cacheRoot() !== null,
    look: async (work) => lookInto(cacheRoot(), lockTimeoutMs, work),
    hosts: async () => (await Promise.all(indexDirectories(cacheRoot()).map(askHost))).flat(),
  });
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
