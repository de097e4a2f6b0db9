import type { Candidate, Enumeration } from '../search/types.ts';

/** Files of one process: either many with ordinary names, or one whose name cannot be an argument. */
export interface Chunk {
  /** Number of the first file among the candidates. */
  readonly first: number;
  readonly files: readonly Candidate[];
}

export interface ChunkSizes {
  /** Files of the first chunk, of the second, and so on; the last number holds for all further ones. */
  readonly files: readonly number[];
  /** Most bytes of paths in one. */
  readonly pathBytes: number;
}

/** Small at first, so that a search that needs few results ends soon; then large, so that few processes are started (note 2a). */
export const CHUNK_SIZES: ChunkSizes = { files: [64, 256, 1024, 4096], pathBytes: 512 * 1024 };

export interface ChunkSource {
  /** The next chunk in key order; undefined at the end. */
  next(): Chunk | undefined;
  /** Makes the next chunk ready before it is asked for. */
  prepare(): void;
  /** Whether no more will come. */
  readonly isDone: boolean;
  /** Candidates that were taken from the enumeration. */
  readonly enumerated: number;
}

/** Cuts an enumeration into chunks. Reads no further than the chunk that is asked for or prepared. */
export function chunksOf(files: Enumeration, sizes: ChunkSizes = CHUNK_SIZES): ChunkSource {
  let ready: Chunk | undefined;
  let pending: readonly Candidate[] = [];
  let pendingAt = 0;
  let isExhausted = false;
  let first = 0;
  let made = 0;
  let enumerated = 0;

  const peek = (limit: number): Candidate | undefined => {
    if (pendingAt === pending.length && !isExhausted) {
      pending = files.next(limit);
      pendingAt = 0;
      enumerated += pending.length;
      isExhausted = pending.length === 0;
    }
    return pending[pendingAt];
  };

  const make = (): Chunk | undefined => {
    const most = sizes.files[Math.min(made, sizes.files.length - 1)] ?? 1;
    const taken: Candidate[] = [];
    let bytes = 0;
    for (let file = peek(most); file !== undefined && taken.length < most; file = taken.length < most ? peek(most - taken.length) : undefined) {
      if (file.raw !== undefined && taken.length > 0) break;
      bytes += Buffer.byteLength(file.text) + 3;
      if (bytes > sizes.pathBytes && taken.length > 0) break;
      taken.push(file);
      pendingAt += 1;
      if (file.raw !== undefined) break;
    }
    if (taken.length === 0) return undefined;
    const chunk = { first, files: taken };
    first += taken.length;
    made += 1;
    return chunk;
  };

  return {
    next() {
      const chunk = ready ?? make();
      ready = undefined;
      return chunk;
    },
    prepare() {
      ready ??= make();
    },
    get isDone() {
      return ready === undefined && isExhausted && pendingAt === pending.length;
    },
    get enumerated() {
      return enumerated;
    },
  };
}

/** The halves of a chunk that is too much for one process. */
export function halvesOf({ first, files }: Chunk): readonly [Chunk, Chunk] {
  const half = files.length >> 1;
  return [
    { first, files: files.slice(0, half) },
    { first: first + half, files: files.slice(half) },
  ];
}
