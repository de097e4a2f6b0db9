import type { BuildOutcome, SegmentName } from '../../../core/ports/index.ts';
import type { Enumeration } from '../../types.ts';
import type { Difference } from './differences.ts';
import { createDraft } from './draft.ts';
import { readDocument } from './read-document.ts';
import { type JobRun, readerOf } from './site.ts';
import { bytesOf } from './tree-paths.ts';

/**
 * Reads the files that differ and writes one segment of them; 'nothing' if none does. A file that has gone since the walk saw
 * it only hides what the index had.
 *
 * @throws Halted, CorruptSegment, or what the disk refuses
 */
export function writeDelta(run: JobRun, into: SegmentName, differences: Iterable<Difference>, walk: Enumeration): BuildOutcome {
  const { site, limits, pace } = run;
  const draft = createDraft({ ...site, ngramK: site.indexed.ngramK, into, pace, roomBytes: limits.roomBytes });
  try {
    const reader = readerOf(site);
    let [read, readBytes] = [0, 0];
    for (const difference of differences) {
      if (difference.kind === 'gone') {
        draft.addGone(difference.path);
        continue;
      }
      pace.step();
      const found = readDocument(reader, difference.candidate);
      if (found !== 'gone') {
        draft.add(found.document, found.grams);
        read += 1;
        readBytes += found.bytes;
      } else if (difference.known) draft.addGone(bytesOf(difference.candidate));
    }
    if (draft.documents === 0) return { outcome: 'nothing', hiding: walk.warnings.length };
    const bytes = draft.write();
    return { outcome: 'done', documents: draft.documents, bytes, read, readBytes, hiding: walk.warnings.length };
  } finally {
    draft.discard();
  }
}
