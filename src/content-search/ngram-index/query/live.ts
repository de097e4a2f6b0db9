import type { SegmentDocument } from '../segment/format.ts';
import { comparePaths } from '../segment/path-order.ts';
import { isLive, type Snapshot, type SnapshotSegment } from './snapshot.ts';

/** A document, and where it is: the place of its segment in the snapshot, and its number there. */
export interface LiveDocument {
  readonly segment: number;
  readonly id: number;
  readonly document: SegmentDocument;
}

/**
 * The documents of several segments in key order, read a block at a time.
 *
 * @param which places of the segments in the snapshot; all of them without
 * @param counts which documents are given; those that are live without
 * @throws CorruptSegment
 */
export function* liveDocuments(
  { segments }: Pick<Snapshot, 'segments'>,
  which: readonly number[] = [...segments.keys()],
  counts: (segment: SnapshotSegment, id: number) => boolean = isLive,
): Generator<LiveDocument> {
  const heads = which.flatMap((segment) => {
    const from = segments[segment];
    return from === undefined ? [] : [headOf(segment, from, counts)];
  });
  for (;;) {
    let least: Head | undefined;
    for (const head of heads) {
      if (head.next !== undefined && (least?.next === undefined || comparePaths(head.next.document.path, least.next.document.path) < 0)) least = head;
    }
    if (least?.next === undefined) return;
    yield least.next;
    least.advance();
  }
}

interface Head {
  next: LiveDocument | undefined;
  advance(): void;
}

function headOf(segment: number, from: SnapshotSegment, counts: (segment: SnapshotSegment, id: number) => boolean): Head {
  const documents = from.reader.documents()[Symbol.iterator]();
  let id = -1;
  const head: Head = {
    next: undefined,
    advance() {
      for (;;) {
        const step = documents.next();
        id += 1;
        if (step.done === true) break;
        if (!counts(from, id)) continue;
        head.next = { segment, id, document: step.value };
        return;
      }
      head.next = undefined;
    },
  };
  head.advance();
  return head;
}
