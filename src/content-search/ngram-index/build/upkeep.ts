import type { BuildOutcome, SegmentName } from '../../../core/ports/index.ts';
import { checkSnapshot } from '../query/check.ts';
import type { Snapshot } from '../query/snapshot.ts';
import { limited } from './draft.ts';
import { mergeSegments } from './merge.ts';
import type { JobRun } from './site.ts';

/** Makes one segment of those from a place on to the newest. @throws Halted, CorruptSegment, or what the disk refuses */
export function mergeFrom({ site, limits, pace }: JobRun, snapshot: Snapshot, from: number, into: SegmentName): BuildOutcome {
  const which = [...snapshot.segments.keys()].slice(from);
  const { index, keyHash, hasher } = site;
  const writer = index.create(into);
  let isWhole = false;
  try {
    const sink = limited(writer, limits.roomBytes);
    const merged = mergeSegments(snapshot, which, { name: into, keyHash, sink }, hasher, () => {
      pace.step();
      return false;
    });
    if (merged.outcome === 'stopped') return merged;
    writer.finish();
    isWhole = true;
    return { ...merged, read: 0, readBytes: 0, hiding: 0 };
  } finally {
    if (!isWhole) writer.discard();
  }
}

/** Proves a snapshot sound. @throws Halted, or what the disk refuses */
export function checkWhole({ pace }: JobRun, snapshot: Snapshot): BuildOutcome {
  const findings = checkSnapshot(snapshot, () => {
    pace.step();
    return false;
  });
  return findings === undefined ? { outcome: 'stopped' } : { outcome: 'checked', findings };
}
