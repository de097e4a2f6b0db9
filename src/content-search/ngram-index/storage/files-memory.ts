import type { FileRefusal, IndexFiles, OpenSegmentFile, SegmentFileWriter, SegmentName, SnapshotId } from '../../../core/ports/index.ts';

interface MemoryFile {
  readonly bytes: Buffer;
  readonly identity: string;
}

/** The files of an index in memory: for `index_storage=memory`, and as the twin that tests compare with. They live as long as the object. */
export function memoryIndexFiles(): IndexFiles {
  const segments = new Map<string, { readonly name: SegmentName; readonly file: MemoryFile }>();
  const runs = new Map<number, Map<number, Buffer>>();
  let current: SnapshotId | undefined;
  let written = 0;

  const runsOf = (generation: number): Map<number, Buffer> => {
    const known = runs.get(generation) ?? new Map<number, Buffer>();
    runs.set(generation, known);
    return known;
  };

  const sweep = (keep: SnapshotId | null): void => {
    if (keep === null) current = undefined;
    for (const [key, { name }] of segments) if (keep === null || !isOf(keep, name)) segments.delete(key);
    runs.clear();
  };

  return {
    open(name) {
      const found = segments.get(keyOf(name));
      return found === undefined ? { refused: 'ENOENT' } : opened(found.file);
    },
    create(name) {
      return writer((bytes) => {
        written += 1;
        segments.set(keyOf(name), { name, file: { bytes, identity: `memory:${written}` } });
      });
    },
    runs: (generation) => ({
      write: (run, parts) => void runsOf(generation).set(run, Buffer.concat([...parts])),
      read(run) {
        const bytes = runsOf(generation).get(run);
        if (bytes === undefined) throw Object.assign(new Error('a part of a build cannot be read'), { code: 'ENOENT' });
        return opened({ bytes, identity: '' });
      },
      clear: () => void runs.delete(generation),
    }),
    current: () => current,
    flip(snapshot) {
      current = { generation: snapshot.generation, deltas: [...snapshot.deltas] };
    },
    sizeOf: (snapshot) => [...segments.values()].reduce((sum, { name, file }) => sum + (isOf(snapshot, name) ? file.bytes.length : 0), 0),
    sweep,
    // Memory is not for people to look at.
    quarantine: () => sweep(null),
    purge: () => sweep(null),
  };
}

const keyOf = ({ generation, delta }: SegmentName): string => `${generation}/${delta}`;

function isOf({ generation, deltas }: SnapshotId, name: SegmentName): boolean {
  return name.generation === generation && (name.delta === 0 || deltas.includes(name.delta));
}

function writer(keep: (bytes: Buffer) => void): SegmentFileWriter {
  const parts: Buffer[] = [];
  let header: Buffer | undefined;
  return {
    append: (bytes) => void parts.push(Buffer.from(bytes)),
    writeHeader: (bytes) => {
      header = Buffer.from(bytes);
    },
    finish() {
      const whole = Buffer.concat(parts);
      header?.copy(whole);
      keep(whole);
    },
    discard: () => {
      parts.length = 0;
    },
  };
}

function opened({ bytes, identity }: MemoryFile): OpenSegmentFile & Partial<FileRefusal> {
  return { size: bytes.length, identity, read: (offset, length) => Buffer.from(bytes.subarray(offset, offset + length)), close: () => undefined };
}
