import type { IndexFiles, SegmentName, SnapshotId } from '../../../core/ports/index.ts';
import { SPECIAL_LIST } from '../segment/format.ts';
import type { SegmentReader } from '../segment/reader.ts';
import type { Hasher } from '../tokenize/hash.ts';
import { type Bitmap, bitmapFor, countBits, hasBit, setBit } from './bitmap.ts';
import { openShared, type SharedSegment } from './open-segments.ts';
import { guarded, type SnapshotRefusal } from './refusal.ts';

/** One segment of a snapshot, and which of its documents count. */
export interface SnapshotSegment {
  readonly name: SegmentName;
  readonly bytes: number;
  readonly reader: SegmentReader;
  /** Documents whose path a later segment has too. */
  readonly hidden: Bitmap;
  /** Documents that are hidden, or `gone`: no search finds them. */
  readonly dead: Bitmap;
}

/** An index as it was at one moment: all segments open, so that what is removed meanwhile does not matter. */
export interface Snapshot {
  readonly id: SnapshotId;
  /** Oldest first. */
  readonly segments: readonly SnapshotSegment[];
  /** Documents that count. */
  readonly live: number;
  /** Documents that a merge would save: hidden ones and `gone`. */
  readonly dead: number;
  readonly bytes: number;
  /** To be called once nobody reads any more. */
  close(): void;
}

export type OpenedSnapshot = { readonly ok: true; readonly snapshot: Snapshot } | SnapshotRefusal;

/** What a snapshot keeps for the one after it. */
const OPEN = new WeakMap<Snapshot, readonly SharedSegment[]>();

/**
 * Opens exactly the segments of a snapshot, and finds out which documents are hidden by later ones.
 *
 * @param expected SHA-256 of the index key
 * @param previous an open snapshot of the same index: segments that are the same file are not read again, and which documents
 * are hidden is only asked of segments that came since. Stays open.
 */
export function openSnapshot(files: IndexFiles, id: SnapshotId, expected: { readonly keyHash: Buffer }, hasher: Hasher, previous?: Snapshot): OpenedSnapshot {
  const known = (previous && OPEN.get(previous)) ?? [];
  const open: SharedSegment[] = [];
  const made = guarded(() => {
    for (const name of segmentNames(id)) {
      const segment = openShared(files, name, expected.keyHash, hasher, known);
      if ('ok' in segment) return segment;
      open.push(segment);
    }
    return { ok: true as const, snapshot: snapshotOf(id, open, previous) };
  });
  const opened = made.ok ? made.value : made;
  if (!opened.ok) for (const segment of open) segment.release();
  return opened;
}

/** The segments of a snapshot, oldest first. */
export function segmentNames({ generation, deltas }: SnapshotId): readonly SegmentName[] {
  return [0, ...deltas].map((delta) => ({ generation, delta }));
}

function snapshotOf(id: SnapshotId, open: readonly SharedSegment[], previous: Snapshot | undefined): Snapshot {
  const segments = withDead(open, previous);
  const dead = segments.reduce((sum, segment) => sum + countBits(segment.dead), 0);
  let closed = false;
  const snapshot: Snapshot = {
    id,
    segments,
    live: segments.reduce((sum, { reader }) => sum + reader.documentCount, 0) - dead,
    dead,
    bytes: open.reduce((sum, { bytes }) => sum + bytes, 0),
    close() {
      if (!closed) for (const segment of open) segment.release();
      closed = true;
      OPEN.delete(snapshot);
    },
  };
  OPEN.set(snapshot, open);
  return snapshot;
}

function withDead(open: readonly SharedSegment[], previous: Snapshot | undefined): SnapshotSegment[] {
  const before = begunBy(open, previous) ? previous.segments : [];
  const hidden = open.map(({ reader }, at) => before[at]?.hidden.slice() ?? bitmapFor(reader.documentCount));
  for (const [later, { reader }] of open.entries()) {
    // What the segments of before hide of each other is known.
    if (later === 0 || later < before.length) continue;
    const paths = [...reader.everyPath()];
    for (const [earlier, bitmap] of hidden.slice(0, later).entries()) {
      for (const id of open[earlier]?.reader.find(paths) ?? []) if (id >= 0) setBit(bitmap, id);
    }
  }
  return open.map(({ name, bytes, reader }, at) => {
    const bitmap = hidden[at] ?? bitmapFor(reader.documentCount);
    return { name, bytes, reader, hidden: bitmap, dead: withGone(bitmap, reader) };
  });
}

/** Whether the previous snapshot consists of the first segments of this one. */
function begunBy(open: readonly SharedSegment[], previous: Snapshot | undefined): previous is Snapshot {
  if (previous === undefined || previous.segments.length > open.length) return false;
  return previous.segments.every(({ reader }, at) => open[at]?.reader === reader);
}

function withGone(hidden: Bitmap, reader: SegmentReader): Bitmap {
  const dead = hidden.slice();
  for (const id of reader.lookUp(SPECIAL_LIST.gone)?.documents() ?? []) setBit(dead, id);
  return dead;
}

/** Whether a search may find the document. */
export const isLive = ({ dead }: SnapshotSegment, id: number): boolean => !hasBit(dead, id);
