import type { FreshnessGuarantee } from '../../../core/ports/index.ts';
import type { HostRecord } from './record.ts';
import type { HostDeps, HostMemory } from './types.ts';

interface WatchedParts {
  readonly deps: Pick<HostDeps, 'settings' | 'freshness' | 'watch' | 'report'>;
  readonly memory: HostMemory;
  readonly record: Pick<HostRecord, 'apply'>;
}

/**
 * Sees to it that changes from here on become known: by watches, armed anew if they do not cover the tree; where these cannot
 * be had, because searches look at each file themselves (level `stat`); else not at all.
 *
 * @returns whether a pass makes sense: without either it would be out of date before it is over
 */
export async function ensureWatched({ deps, memory, record }: WatchedParts): Promise<boolean> {
  if (memory.unarmed === null) return true;
  if (!deps.settings.watch && deps.freshness !== 'none') return relyOnStat({ memory, record }, null);
  const result = await deps.watch.arm();
  deps.report({ kind: 'armed', result });
  if (result.ok) {
    setLevel(memory, 'inotify', null);
    record.apply({ kind: 'WATCHER_STARTED' });
    return true;
  }
  if (result.refused === 'FILE_SYSTEM') return relyOnStat({ memory, record }, null);
  // Until there are watches again, which each pass tries; what the walk comes to can be looked at (search-rules 25).
  if (result.refused === 'LIMIT') {
    if (memory.guarantee !== 'stat') record.apply({ kind: 'WATCHER_DOWN' });
    return relyOnStat({ memory, record }, 'LIMIT');
  }
  setLevel(memory, 'none', result.refused);
  if (!memory.safety.watcherLost) record.apply({ kind: 'WATCHER_DOWN' });
  return false;
}

function relyOnStat({ memory, record }: Omit<WatchedParts, 'deps'>, unarmed: string | null): true {
  setLevel(memory, 'stat', unarmed);
  record.apply({ kind: 'STAT_LEVEL_CHOSEN' });
  return true;
}

function setLevel(memory: HostMemory, guarantee: FreshnessGuarantee, unarmed: string | null): void {
  memory.guarantee = guarantee;
  memory.unarmed = unarmed;
}
