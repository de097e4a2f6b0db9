import type { INDEX_PHASES, IndexStatus, IndexTaskEnd } from '../../../contracts/index.ts';
import type { BuildPhase } from '../../../core/ports/index.ts';
import type { HostDeps, HostMemory } from './types.ts';

export interface StatusFacts {
  readonly root: string;
  readonly keyHash: string;
  readonly storage: HostDeps['storage'];
  /** `null`: nobody has counted them. */
  readonly files: number | null;
  readonly bytes: number;
  readonly lastBuild: IndexStatus['last_build'];
  readonly ended: readonly IndexTaskEnd[];
}

/** The index of a host as its surfaces show it. */
export function statusOf({ safety, snapshot, guarantee, veto, activity, pending }: HostMemory, facts: StatusFacts): IndexStatus {
  return {
    root: facts.root,
    key_hash: facts.keyHash,
    state: safety.state,
    reason: safety.reason,
    host: 'running',
    veto: veto?.veto ?? (safety.state === 'COMPLETE' ? null : 'NOT_COMPLETE'),
    serving: safety.state === 'COMPLETE' && veto === null,
    guarantee,
    storage_mode: facts.storage.mode,
    storage_fallback_reason: facts.storage.fallback,
    files: facts.files,
    bytes: facts.bytes,
    generation: snapshot?.generation ?? null,
    deltas: snapshot?.deltas.length ?? 0,
    overlay: { files: pending, subtrees: 0 },
    activity:
      activity === null
        ? null
        : {
            kind: activity.kind,
            phase: PHASES[activity.kind] ?? phaseOf(activity.progress?.phase),
            done: activity.progress?.filesDone ?? 0,
            total: activity.progress === null || activity.progress.filesTotal === 0 ? null : activity.progress.filesTotal,
            started_at: new Date(activity.startedAtMs).toISOString(),
          },
    last_build: facts.lastBuild,
    ended: [...facts.ended],
  };
}

type IndexPhase = (typeof INDEX_PHASES)[number];

const PHASES: Partial<Record<string, IndexPhase>> = { reconcile: 'VALIDATE', check: 'CHECK' };

function phaseOf(phase: BuildPhase | undefined): IndexPhase {
  return phase ?? 'ENUMERATE';
}
