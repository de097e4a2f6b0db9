import type { IndexFiles, OpenSegmentFile, SegmentName } from '../../../core/ports/index.ts';
import { segmentNumber } from '../segment/format.ts';
import { comparePaths } from '../segment/path-order.ts';
import { openSegment, type SegmentReader } from '../segment/reader.ts';
import type { Hasher } from '../tokenize/hash.ts';
import type { SnapshotRefusal } from './refusal.ts';

/** A segment that is open, by whoever uses it. */
export interface SharedSegment {
  readonly name: SegmentName;
  readonly bytes: number;
  readonly identity: string;
  readonly reader: SegmentReader;
  /** One more user. */
  share(): SharedSegment;
  /** One user less; the last one closes the file. */
  release(): void;
}

/**
 * Opens a segment, or shares the one that is open already if it is the same file: a name alone does not say so, for an index
 * can have been removed and built again in between.
 *
 * @throws CorruptSegment, or Error with `code` from a read
 */
export function openShared(
  files: IndexFiles,
  name: SegmentName,
  keyHash: Buffer,
  hasher: Hasher,
  known: readonly SharedSegment[],
): SharedSegment | SnapshotRefusal {
  const file = files.open(name);
  if ('refused' in file)
    return { ok: false, why: file.refused === 'ENOENT' ? 'MISSING' : 'REFUSED', message: `${file.refused} for ${name.generation}/${name.delta}` };
  const same = known.find(({ identity, name: { generation, delta } }) => identity === file.identity && generation === name.generation && delta === name.delta);
  if (same !== undefined) {
    file.close();
    return same.share();
  }
  try {
    return shared(name, file, openSegment(file, { keyHash, generation: segmentNumber(name), comparePaths }, hasher));
  } catch (error) {
    file.close();
    throw error;
  }
}

function shared(name: SegmentName, file: OpenSegmentFile, reader: SegmentReader): SharedSegment {
  let users = 1;
  const segment: SharedSegment = {
    name,
    bytes: file.size,
    identity: file.identity,
    reader,
    share() {
      users += 1;
      return segment;
    },
    release() {
      users -= 1;
      if (users === 0) file.close();
    },
  };
  return segment;
}
