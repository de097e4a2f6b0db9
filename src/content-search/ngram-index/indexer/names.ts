import type { SegmentName, SnapshotId } from '../../../core/ports/index.ts';
import type { HostDeps, HostMemory } from './types.ts';

/**
 * Numbers that were never used for this key, also when what named the last one is lost: a search may still have its segments
 * open. The clock only helps to skip what cannot be known.
 */
export function nextGeneration({ now }: HostDeps, { snapshot, meta }: HostMemory): number {
  return Math.max(snapshot?.generation ?? 0, Number(meta?.generation ?? 0), Math.floor(now() / 1000)) + 1;
}

export function nextDelta({ generation, deltas }: SnapshotId): SegmentName {
  return { generation, delta: (deltas.at(-1) ?? 0) + 1 };
}

export function grown({ generation, deltas }: SnapshotId, { delta }: SegmentName): SnapshotId {
  return { generation, deltas: [...deltas, delta] };
}
